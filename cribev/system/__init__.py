"""What the machine offers: processes, signals, files and folders.

`signals`: end on a signal, and leave nothing behind. `processes`: work shared among processes.
`files`: files that appear whole or not at all. `cache`: files of arrays, the user's folders, what
is unpacked into them once, and libraries that only some things need. `bars`: progress. `memory`:
give back what a server no longer needs.
"""
