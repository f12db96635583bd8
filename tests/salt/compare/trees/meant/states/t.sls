settings:
  ini.options_present:
    - name: /settings.ini
    - sections:
        web:
          port: 80
