own:
  own.kept:
    - value: {{ salt['answers.everything']() }}
