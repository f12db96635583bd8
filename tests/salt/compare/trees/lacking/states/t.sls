noted:
  highstate_doc.note:
    - contents: of Salt alone
after:
  test.succeed_without_changes:
    - require:
      - highstate_doc: noted
own:
  test.nop: []
