"""The studio: the catalogue in the browser, with sliders, runs, curves and what can be saved.

server      answers the page: who may ask, what there is, jobs and files
workers     processes that do the jobs, so that any of them can be ended
work        what such a process does: look at a model, run it, save it
fence       what a file that somebody else wrote may not reach while it is read, run and drawn
forms       numbers that can be changed, as sliders with units and ranges
repeat      the Python that does the same
pages       the page itself; it draws by the scripts of reports (`view/pages`)
"""
