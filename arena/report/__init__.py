"""The report of a run: one HTML file that holds all it needs.

`page` reads the run and writes the file. What stands in it for each game of the league is listed in
`sections`, a module and a template (`templates/NAME.html`) each; what is told beyond the games' sections has
modules of its own. `static` has the style and the scripts, which are written into the file.
"""
