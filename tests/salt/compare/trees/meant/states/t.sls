settings:
  ini.options_present:
    - name: /nowhere/settings.ini
    - sections:
        web:
          port: 80
