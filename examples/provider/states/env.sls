env-01:
  starting_state.deployed:
    - provider: lab
    - register_resources: true

greeting:
  file.managed:
    - name: {{ opts['root_dir'] }}/reserved.txt
    - contents: ${starting_state:env-01:machine}
