"""The facilities of the machine: processes, signals, files and folders.

`signals`: end on a signal, and leave nothing behind. `processes`: work shared among processes.
`blas`: products of matrices in one thread. `files`: files that appear complete or not at all.
`cache`: files of arrays, the user's folders and what is unpacked there once, and optional
libraries. `bars`: progress bars.
"""
