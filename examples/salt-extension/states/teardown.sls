# Stops the environment, removes its files, and invalidates everything derived from it.
remove_environment:
  starting_state.absent:
    - name: env-01
