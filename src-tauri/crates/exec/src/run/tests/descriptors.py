import ctypes, fcntl, os
file, folder = os.open('project/a', os.O_RDONLY), os.open('project', os.O_RDONLY)
libc = ctypes.CDLL(None, use_errno=True)
for request in [0x40086604, 0x40087602, 0x40806685, 0x50009401, 0x50009417, 0x5000940e, 0x4050bc10, 0x40086602, 0x401c5820, 1]:
    for open_one in [file, folder]:
        if libc.ioctl(open_one, ctypes.c_ulong(request), ctypes.create_string_buffer(4096)) != -1 or ctypes.get_errno() != 1:
            print('request', hex(request))
for open_one, request, value in [(file, 1024, 1), (folder, 1026, 2)]:
    try:
        fcntl.fcntl(open_one, request, value); print('held', request)
    except PermissionError: pass
context = ctypes.c_ulong(0)
if libc.syscall(206 if os.uname().machine == 'x86_64' else 0, 1, ctypes.byref(context)) == 0: print('waits for files')
read, write = os.pipe()
fcntl.ioctl(read, 0x541b, bytearray(4))
print('done')
