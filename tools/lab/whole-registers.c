/*
 * The guest's kernel sets the registers of its processes by ptrace(), those up to AVX-512. Where the processor has more (AMX), the
 * machine's kernel takes all of them or none, and no process of the guest would start. This stands before ptrace() in the guest's kernel
 * and adds the missing ones as unused. They are: nobody in the guest may use them without asking for them, which its kernel does not know.
 */
#define SYS_PTRACE 101
#define PEEKTEXT 1
#define PEEKUSER 3
#define GETREGSET 0x4204
#define SETREGSET 0x4205
#define XSTATE 0x202
/* Where it is said which parts are in use. The guest has the first ten. */
#define USED_PARTS 512
#define PARTS_OF_GUEST 0x3ffUL

struct registers {
  unsigned char *base;
  unsigned long length;
};

extern int *__errno_location(void);

static long call(long request, long pid, long address, void *data) {
  long result;
  __asm__ volatile("mov %%rcx, %%r10\n\tsyscall"
                   : "=a"(result), "+c"(data)
                   : "0"(SYS_PTRACE), "D"(request), "S"(pid), "d"(address)
                   : "r10", "r11", "memory");
  return result;
}

/* Not on the stack: that of the guest's kernel has no room for it. */
static unsigned char all[65536];
static struct registers whole = {all, 0};

static void *completed(long pid, struct registers *given) {
  unsigned long i;
  if (whole.length == 0) {
    whole.length = sizeof all;
    if (call(GETREGSET, pid, XSTATE, &whole) != 0) whole.length = given->length;
    for (i = 0; i < whole.length; i++) all[i] = 0;
  }
  if (whole.length <= given->length) return given;
  for (i = 0; i < given->length / sizeof i; i++) ((unsigned long *)all)[i] = ((unsigned long *)given->base)[i];
  *(unsigned long *)(all + USED_PARTS) &= PARTS_OF_GUEST;
  return &whole;
}

/* As libc has it: the requests that read a word return it. */
long ptrace(int request, int pid, long address, void *data) {
  long result, word = 0;
  int reads_word = request >= PEEKTEXT && request <= PEEKUSER;
  if (reads_word) data = &word;
  if (request == SETREGSET && address == XSTATE) data = completed(pid, data);
  result = call(request, pid, address, data);
  if (result < 0) {
    *__errno_location() = -result;
    return -1;
  }
  if (!reads_word) return result;
  *__errno_location() = 0;
  return word;
}
