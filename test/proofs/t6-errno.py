# call: f()
# expect: proven
import errno, os
def f():
    try:
        os.rmdir("not there")
    except OSError as error:
        return error.errno == errno.ENOENT, error.strerror, os.strerror(errno.EAGAIN), errno.errorcode[13], type(OSError(13, "x")).__name__
