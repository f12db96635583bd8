machines:
  starting_state.absent:
    - names: [blue, green]
