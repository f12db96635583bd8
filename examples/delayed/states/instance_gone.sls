instance:
  starting_state.absent:
    - name: delayed-01
