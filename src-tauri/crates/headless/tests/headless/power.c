/* Loaded before the C library: writes down, in their order, what changes below POWER_BELOW and what is synced, into
   POWER_LOG. Who reads it knows what the disk must hold and what a power loss may take (support/power.rs).

   A record: one letter, then lengths and numbers of 64 bits as they lie in memory: path, a number, bytes.
   'W' written at a place; 'T' cut or grown to a size; 'S' the file is synced; 'D' the folder is synced; 'C' a file is made;
   'M' a folder is made; 'U' a name is taken away; 'R' renamed and 'L' linked, the bytes are the new name.

   The lock is held while the system does what is told, so that the order of the records is the order of what happened. A
   change is told before it is made, a sync after it. What is written through a mapping (the index of the log of writes,
   which is made anew after a crash) is not seen. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)
#define ALONE(type, call) \
  pthread_mutex_lock(&one); \
  type done = call; \
  pthread_mutex_unlock(&one); \
  return done

static int is_below(const char *path) {
  const char *below = getenv("POWER_BELOW");
  return below && strncmp(path, below, strlen(below)) == 0;
}

/* What a file is and where it stands; 0 for all that is none of ours. */
static mode_t place_of(int file, char *path) {
  char link[64];
  struct stat what;
  if (fstat(file, &what) != 0 || !(S_ISREG(what.st_mode) || S_ISDIR(what.st_mode))) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = 0;
  return is_below(path) ? what.st_mode & S_IFMT : 0;
}

/* The whole path of a name, whatever it is relative to. */
static int path_of(int folder, const char *name, char *path) {
  char base[PATH_MAX];
  if (name[0] == '/') {
    if (strlen(name) >= PATH_MAX) return 0;
    strcpy(path, name);
  } else {
    if (folder == AT_FDCWD ? !getcwd(base, sizeof base) : !place_of(folder, base)) return 0;
    if (strncmp(name, "./", 2) == 0) name += 2;
    if (snprintf(path, PATH_MAX, "%s/%s", base, name) >= PATH_MAX) return 0;
  }
  return is_below(path);
}

static void record(char kind, const char *path, int64_t number, const void *bytes, int64_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  const char *log = getenv("POWER_LOG");
  if (log && log_file < 0) {
    int (*real_open)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open64");
    log_file = real_open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }
  if (log_file < 0) abort();
  int64_t length = (int64_t)strlen(path);
  char *text = malloc((size_t)(1 + 3 * 8 + length + count)), *at = text;
  if (!text) abort();
  *at++ = kind;
  memcpy(at, &length, 8), at += 8;
  memcpy(at, path, (size_t)length), at += length;
  memcpy(at, &number, 8), at += 8;
  memcpy(at, &count, 8), at += 8;
  memcpy(at, bytes, (size_t)count), at += count;
  if (real(log_file, text, (size_t)(at - text)) != at - text) abort();
  free(text);
}

static void written(int file, const void *bytes, size_t count, off_t at) {
  char path[PATH_MAX];
  if (place_of(file, path) == S_IFREG) record('W', path, at, bytes, (int64_t)count);
}

/* Where the next bytes go; less than nothing in what is no file. */
static off_t next_place(int file) {
  struct stat what;
  off_t at = lseek(file, 0, SEEK_CUR);
  int how = fcntl(file, F_GETFL);
  return at >= 0 && how >= 0 && (how & O_APPEND) && fstat(file, &what) == 0 ? what.st_size : at;
}

static ssize_t written_at(ssize_t (*real)(int, const void *, size_t, off_t), int file, const void *bytes, size_t count, off_t at) {
  written(file, bytes, count, at);
  return real(file, bytes, count, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t at) {
  REAL(ssize_t, "pwrite64", int, const void *, size_t, off_t);
  ALONE(ssize_t, written_at(real, file, bytes, count, at));
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at) {
  REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
  ALONE(ssize_t, written_at(real, file, bytes, count, at));
}

ssize_t write(int file, const void *bytes, size_t count) {
  REAL(ssize_t, "write", int, const void *, size_t);
  off_t at = next_place(file);
  if (at < 0) return real(file, bytes, count);
  pthread_mutex_lock(&one);
  written(file, bytes, count, next_place(file));
  ssize_t done = real(file, bytes, count);
  pthread_mutex_unlock(&one);
  return done;
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec *, int);
  off_t at = next_place(file);
  if (at < 0) return real(file, parts, count);
  pthread_mutex_lock(&one);
  at = next_place(file);
  for (int part = 0; part < count; at += (off_t)parts[part].iov_len, part++)
    written(file, parts[part].iov_base, parts[part].iov_len, at);
  ssize_t done = real(file, parts, count);
  pthread_mutex_unlock(&one);
  return done;
}

static int cut(int (*real)(int, off_t), int file, off_t size) {
  char path[PATH_MAX];
  if (place_of(file, path) == S_IFREG) record('T', path, size, "", 0);
  return real(file, size);
}

int ftruncate64(int file, off64_t size) {
  REAL(int, "ftruncate64", int, off_t);
  ALONE(int, cut(real, file, size));
}

int ftruncate(int file, off_t size) {
  REAL(int, "ftruncate", int, off_t);
  ALONE(int, cut(real, file, size));
}

static int synced(int (*real)(int), int file) {
  char path[PATH_MAX];
  int done = real(file);
  mode_t what = done == 0 ? place_of(file, path) : 0;
  if (what) record(what == S_IFDIR ? 'D' : 'S', path, 0, "", 0);
  return done;
}

int fsync(int file) {
  REAL(int, "fsync", int);
  ALONE(int, synced(real, file));
}

int fdatasync(int file) {
  REAL(int, "fdatasync", int);
  ALONE(int, synced(real, file));
}

/* Making it is told when it was done: before, nobody knows whether it is made or only opened. */
static int opened(int folder, const char *name, int how, mode_t mode) {
  REAL(int, "openat64", int, const char *, int, ...);
  char path[PATH_MAX];
  struct stat what;
  int ours = (how & (O_CREAT | O_TRUNC)) && path_of(folder, name, path);
  int was = ours && stat(path, &what) == 0;
  int file = real(folder, name, how, mode);
  if (ours && file >= 0 && !was) record('C', path, 0, "", 0);
  if (ours && file >= 0 && was && (how & O_TRUNC) && S_ISREG(what.st_mode)) record('T', path, 0, "", 0);
  return file;
}

#define MODE(how) \
  mode_t mode = 0; \
  if ((how) & (O_CREAT | O_TMPFILE)) { \
    va_list more; \
    va_start(more, how); \
    mode = va_arg(more, mode_t); \
    va_end(more); \
  }

int open(const char *name, int how, ...) {
  MODE(how);
  ALONE(int, opened(AT_FDCWD, name, how, mode));
}

int open64(const char *name, int how, ...) {
  MODE(how);
  ALONE(int, opened(AT_FDCWD, name, how, mode));
}

int openat(int folder, const char *name, int how, ...) {
  MODE(how);
  ALONE(int, opened(folder, name, how, mode));
}

int openat64(int folder, const char *name, int how, ...) {
  MODE(how);
  ALONE(int, opened(folder, name, how, mode));
}

/* Names: told when the system has changed them. */
static int named(int done, char kind, int folder, const char *name, const char *other) {
  char path[PATH_MAX], to[PATH_MAX] = "";
  if (done == 0 && (!other || path_of(AT_FDCWD, other, to)) && path_of(folder, name, path))
    record(kind, path, 0, to, (int64_t)strlen(to));
  return done;
}

int mkdir(const char *name, mode_t mode) {
  REAL(int, "mkdir", const char *, mode_t);
  ALONE(int, named(real(name, mode), 'M', AT_FDCWD, name, NULL));
}

int unlink(const char *name) {
  REAL(int, "unlink", const char *);
  ALONE(int, named(real(name), 'U', AT_FDCWD, name, NULL));
}

int unlinkat(int folder, const char *name, int how) {
  REAL(int, "unlinkat", int, const char *, int);
  ALONE(int, named(real(folder, name, how), 'U', folder, name, NULL));
}

int rename(const char *from, const char *to) {
  REAL(int, "rename", const char *, const char *);
  ALONE(int, named(real(from, to), 'R', AT_FDCWD, from, to));
}

int link(const char *from, const char *to) {
  REAL(int, "link", const char *, const char *);
  ALONE(int, named(real(from, to), 'L', AT_FDCWD, from, to));
}

int linkat(int folder, const char *from, int other, const char *to, int how) {
  REAL(int, "linkat", int, const char *, int, const char *, int);
  if (folder != AT_FDCWD || other != AT_FDCWD) return real(folder, from, other, to, how);
  ALONE(int, named(real(folder, from, other, to, how), 'L', AT_FDCWD, from, to));
}
