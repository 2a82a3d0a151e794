"""Advice as one file that needs no server and no connection.

`page`: builds the file from the web templates, the tables, and `pocket.js`, which answers; or a
site of several files, which `worker.js` keeps on a phone.
"""
