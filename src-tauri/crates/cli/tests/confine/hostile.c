#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
static void tell(const char *name, long result) { if (result >= 0) { puts(name); fflush(stdout); } }
static int nothing(void *x) { return 0; }
int main(void) {
  int victim = atoi(getenv("VICTIM"));
  char path[4096], byte = 0;
  snprintf(path, sizeof path, "%s/outside/by-c", getenv("W"));
  tell("open", open(path, O_CREAT | O_WRONLY, 0600));
  snprintf(path, sizeof path, "/proc/%d/mem", victim);
  tell("memory", open(path, O_RDWR));
  tell("socket unix", socket(AF_UNIX, SOCK_STREAM, 0));
  tell("socket datagram", socket(AF_UNIX, SOCK_DGRAM, 0));
  int pair[2]; struct sockaddr_un service = { AF_UNIX };
  snprintf(service.sun_path, sizeof service.sun_path, "%s/run/letters.sock", getenv("W"));
  int kinds[] = { SOCK_DGRAM, SOCK_RAW };
  for (int i = 0; i < 2; i++)
    tell("pair", socketpair(AF_UNIX, kinds[i], 0, pair) < 0 ? -1
      : sendto(pair[0], "x", 1, 0, (void *)&service, sizeof service));
  tell("pair of another family", socketpair(30, SOCK_DGRAM, 0, pair));
  errno = 0; semctl(-1, 0, IPC_STAT, 0); tell("semaphores", errno == EPERM ? -1 : 0);
  errno = 0; shmctl(-1, IPC_STAT, 0); tell("shared memory", errno == EPERM ? -1 : 0);
  errno = 0; msgctl(-1, IPC_STAT, 0); tell("messages", errno == EPERM ? -1 : 0);
  tell("socket vsock", socket(40, SOCK_STREAM, 0));
  tell("socket packet", socket(AF_PACKET, SOCK_RAW, 0));
  tell("socket audit", socket(AF_NETLINK, SOCK_RAW, 9));
  char ring[256]; memset(ring, 0, sizeof ring);
  tell("io_uring", syscall(SYS_io_uring_setup, 1, ring));
  tell("attach", ptrace(PTRACE_SEIZE, victim, 0, 0));
  struct iovec mine = { &byte, 1 }, theirs = { (void *)main, 1 };
  errno = 0; process_vm_readv(victim, &mine, 1, &theirs, 1, 0);
  tell("process memory", errno == EPERM || errno == ESRCH ? -1 : 0);
  int pidfd = syscall(SYS_pidfd_open, victim, 0);
  tell("process", pidfd);
  tell("descriptor of a process", pidfd < 0 ? -1 : syscall(438, pidfd, 0, 0));
  tell("priority", syscall(SYS_setpriority, 0, victim, 19));
  tell("limits", prlimit(victim, 0, 0, (void *)path));
  char *stack = malloc(65536);
  int child = clone(nothing, stack + 65536, CLONE_NEWUSER | SIGCHLD, 0);
  tell("clone", child);
  tell("unshare", unshare(CLONE_NEWUSER));
  tell("key", syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, -3, 1));
  char attributes[128]; memset(attributes, 0, sizeof attributes); attributes[4] = 128;
  errno = 0; ioctl(0, TIOCSTI, "x");
  tell("typing", errno == EPERM ? -1 : 0);
  errno = 0; ioctl(0, 0x100000000L | TIOCSTI, "x");
  tell("typing by a large number", errno == EPERM ? -1 : 0);
  errno = 0; mount("x", "/tmp", "tmpfs", 0, 0);
  tell("x32", syscall(0x40000000 | 41, 1, 1, 0));
  return 0;
}
