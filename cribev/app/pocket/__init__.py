"""Advice as one file that needs no server and no connection.

`page`: builds the file from the web templates, the tables, `advice.js`, which answers, and the
recorder of games at a real board; or a site of files, which `worker.js` keeps on a phone.
"""
