"""Older papers, each in one folder, which plug in by entry points; no other room imports them.

``commas`` is Shieber and Tao (2003), ``ccg`` Tse and Curran (2008), ``transitions`` Ma, Zhang and
Zhu (2014); ``analysis`` and ``rephrasing`` are sections 5 and 6.3 of Li, Wang and Eisner (2019).
"""
