"""Advice as one file that needs no server and no connection.

`page`: builds the file from the web templates, the tables, `pocket.js`, which answers, and the
recorder of games at a real board; or a site of several files, which `worker.js` keeps on a phone.
"""
