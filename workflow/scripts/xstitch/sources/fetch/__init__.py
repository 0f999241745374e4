"""What comes from the network or from a user's folders: data sets, archives and models.

Addresses, sizes, locks and checksums live here; nothing else in the library opens a connection.
"""
