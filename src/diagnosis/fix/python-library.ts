/** What every Python has without anybody writing it down: its builtins, and the modules that come with it. */

/** Of Python 3.11 and later; those for people at a prompt are left out. */
export const BUILTINS: readonly string[] = words(`
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError
BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError
ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning
EnvironmentError Exception ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError
FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError
InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError
ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError
OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError
ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration
SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError
UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError
UnicodeWarning UserWarning ValueError Warning ZeroDivisionError abs aiter all anext any ascii bin
bool breakpoint bytearray bytes callable chr classmethod compile complex delattr dict dir divmod
enumerate eval exec filter float format frozenset getattr globals hasattr hash hex id input int
isinstance issubclass iter len list locals map max memoryview min next object oct open ord pow print
property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type
vars zip
`);

/** Modules of the standard library, on Unix, in every version since 3.11. */
export const STANDARD_MODULES: ReadonlySet<string> = new Set(
  words(`
abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile calendar
cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib
contextvars copy copyreg csv ctypes curses dataclasses datetime dbm decimal difflib dis doctest
email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput fnmatch fractions ftplib
functools gc getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http imaplib
importlib inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox marshal
math mimetypes mmap modulefinder multiprocessing netrc numbers operator optparse os pathlib pdb
pickle pickletools pkgutil platform plistlib poplib pprint profile pstats pty pwd py_compile pyclbr
pydoc pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched secrets
select selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl stat
statistics string stringprep struct subprocess symtable sys sysconfig syslog tabnanny tarfile
tempfile termios textwrap threading time timeit token tokenize tomllib trace traceback tracemalloc
tty types typing unicodedata unittest urllib uuid venv warnings wave weakref webbrowser wsgiref xml
xmlrpc zipapp zipfile zipimport zlib zoneinfo
`),
);

function words(text: string): readonly string[] {
  return text.split(/\s/).filter((word) => word !== '');
}
