"""Notes which lines of Python run, for nub: found by every interpreter through PYTHONPATH.

Every line is noted when it first runs, as a record of an lcov tracefile. So whatever becomes of the process (a crash,
os._exit, a fork), what ran before is known. The file is opened anew for each record, since a program may close all
files it finds open.
"""
import os
import sys


def _measure():
    out, root = os.environ.get("NUB_COVERAGE_OUT"), os.environ.get("NUB_COVERAGE_ROOT")
    if not out or not root:
        return
    root = os.path.join(os.path.realpath(root), "")
    places = {}

    def write(path, lines):
        text = "SF:%s\n%send_of_record\n" % (path, "".join("DA:%d,%d\n" % line for line in lines))
        try:
            file = os.open(out, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
            try:
                os.write(file, text.encode("utf-8", "surrogateescape"))
            finally:
                os.close(file)
        except OSError:
            pass

    def lines_of(code):
        if hasattr(code, "co_lines"):
            return {line for _, _, line in code.co_lines() if line}
        import dis

        return {line for _, line in dis.findlinestarts(code)}

    def all_lines(code):
        found = lines_of(code)
        for constant in code.co_consts:
            if isinstance(constant, type(code)):
                found |= all_lines(constant)
        return found

    def place(name):
        """Where a file is, if it is in the workspace; its lines are noted when it is first met."""
        if name not in places:
            path = None if name.startswith("<") else os.path.realpath(name)
            if path is None or not path.startswith(root):
                path = None
            else:
                try:
                    with open(path, "rb") as source:
                        code = compile(source.read(), path, "exec", dont_inherit=True)
                    write(path, [(line, 0) for line in sorted(all_lines(code))])
                except (OSError, SyntaxError, ValueError):
                    pass
            places[name] = path
        return places[name]

    if hasattr(sys, "monitoring"):
        monitoring = sys.monitoring

        def on_line(code, line):
            path = place(code.co_filename)
            if path:
                write(path, [(line, 1)])
            return monitoring.DISABLE

        try:
            monitoring.use_tool_id(4, "nub")
        except ValueError:
            return
        monitoring.register_callback(4, monitoring.events.LINE, on_line)
        monitoring.set_events(4, monitoring.events.LINE)
        return

    import threading

    left = {}

    def enter(frame, event, arg):
        code = frame.f_code
        known = left.get(id(code))
        if known is None:
            path = place(code.co_filename)
            # The code itself is kept, so that its id stays its own.
            known = left[id(code)] = (lines_of(code) if path else set(), path, code)
        return step if known[0] else None

    def step(frame, event, arg):
        if event == "line":
            lines, path, _ = left[id(frame.f_code)]
            if frame.f_lineno in lines:
                lines.discard(frame.f_lineno)
                write(path, [(frame.f_lineno, 1)])
        return step

    threading.settrace(enter)
    sys.settrace(enter)


def _go_on():
    """Runs the sitecustomize that this one stands in front of, if there is one."""
    here = os.path.dirname(os.path.realpath(__file__))
    path = [folder for folder in sys.path if os.path.realpath(folder or ".") != here]
    sys.path[:] = path
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        import importlib.util

        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


_go_on()
_measure()
