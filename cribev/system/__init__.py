"""What the machine offers: processes, signals, files and folders.

`signals`: end on a signal, and leave nothing behind. `processes`: work shared among processes.
`files`: files that appear whole or not at all. `folders`: those of the user. `optional`: libraries
that some things need. `unpacking`: what is unpacked once into the cache.
"""
