"""ensue in stock Salt: what Salt's loaders find here through the entry point `salt.loader`.

The folders `states`, `modules`, `runners` and `resources` have the files that Salt loads, under names of its
own. They are thin: each call opens the project of ensue that the minion has below its `cachedir`, which is
that of runs over minions, too. Like the command line, this package may use all rooms, and none uses it.
"""
