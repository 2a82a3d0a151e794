"""Advice as one file that needs no server and no connection.

`page`: puts the file together, of the templates of the web, the tables, and `pocket.js`, which
answers; or a site of several files, which `worker.js` keeps on a phone.
"""
