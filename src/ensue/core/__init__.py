"""What every other room uses: errors, diagnostics, values, contracts, masking, and files of this machine.

Values are frozen. Nothing here reads or writes anything but private files of ensue itself, and nothing here
imports another room.

Doors:
- `core.errors`, `core.diagnostics`: exceptions, and what a user is told.
- `core.model`: resource names, chunks, references, returns, events.
- `core.contracts`: what states, modules, resource types, drivers and stores offer, and may use.
- `core.masking`: secrets, hidden in whatever leaves the process.
- `core.files`: private files, atomic writes, regular files.
- `core.public_names`: names of a package that are loaded when they are first used.
"""
