"""Where apt takes packages from: the files that say so, and keys that repositories are signed with."""
