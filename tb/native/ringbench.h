/* What the files of this library share.
 *
 * One process holds one simulated top, so the state is plain file-scope data: one host memory, one event log,
 * one bus, one register queue, one wire. The HDL reaches it through the functions listed in table.h, Python
 * through the others (ctypes, in the same process). Every number that crosses to the HDL is an unsigned
 * 64-bit word: one type keeps the DPI imports and the VPI glue free of per-function code.
 */
#ifndef RINGBENCH_H
#define RINGBENCH_H

#include <stddef.h>
#include <stdint.h>

typedef uint64_t u64;

#define RB_NEVER UINT64_MAX /* a cycle that does not come */

/* A growing array of records; see growth.c. */
struct rb_array {
    unsigned char *base;
    u64 count;    /* records in use */
    u64 capacity; /* records allocated */
    u64 limit;    /* most records ever allocated; 0 = no limit */
    u64 dropped;  /* records that found no room: the log is then not to be trusted */
    u64 record_bytes;
};

void *rb_array_add(struct rb_array *array, u64 records);
void rb_array_clear(struct rb_array *array);

/* Host memory; NULL (and an error counted) when [address, address + bytes) is not inside it. */
unsigned char *rb_memory_at(u64 address, u64 bytes);

/* Frames out of the wire, shared by all PHY kinds; see frames.c. */
struct rb_frame {
    u64 sfd_cycle;
    u64 end_cycle;
    u64 offset;      /* of its first byte in the flat byte buffer */
    uint32_t length; /* bytes after the SFD, FCS included */
    uint32_t gap;    /* idle symbols before it; UINT32_MAX for the first frame */
    uint32_t preamble;
    uint32_t flags; /* RB_FRAME_* */
};
enum { RB_FRAME_FCS_OK = 1, RB_FRAME_ERROR = 2, RB_FRAME_ODD = 4, RB_FRAME_NO_SFD = 8 };

void rb_frame_byte(unsigned value);
void rb_frame_close(struct rb_frame *frame);
void rb_frames_clear(void);

/* The traffic program that the player plays; set from Python, read by the players of all PHY kinds. */
struct rb_program {
    const unsigned char *bytes; /* all frames, one after the other, FCS included */
    const uint32_t *length;     /* bytes of each frame */
    const uint32_t *gap;        /* idle symbols before each frame */
    const uint32_t *flags;      /* RB_PLAY_* | byte index << 8 */
    u64 frames;
};
enum { RB_PLAY_ODD = 1, RB_PLAY_ERROR = 2 };
extern struct rb_program rb_program;

/* The link between bus and host memory, see link.c and offers.c. */
struct rb_link_numbers;
void rb_link_clear(void);
int rb_link_on(void);
u64 rb_link_use(const struct rb_link_numbers *numbers);
u64 rb_link_busy(u64 direction);
u64 rb_link_write(u64 stamp, u64 payload_bytes);
u64 rb_link_reply(u64 stamp);
u64 rb_link_read(u64 stamp, u64 payload_bytes, u64 jitter_cycles);
u64 rb_link_complete(u64 fetch, u64 address, u64 payload_bytes);
u64 rb_link_register_access(u64 stamp, u64 is_write);
u64 rb_link_register_completion(u64 stamp);
void rb_offers_book(u64 before);
void rb_offers_settle(u64 cycle);

void rb_csr_clear(void);
void rb_bus_clear(void);
void rb_mii_clear(void);
void rb_gmii_clear(void);

/* What Python and the HDL read from each other at a falling edge, mapped by Python as a ctypes structure. */
struct rb_control {
    u64 now;              /* cycle of the falling edge at which Python was last woken */
    u64 irq;              /* interrupt lines at that edge */
    u64 messages;         /* 1 if the lines are set by messages on the bus, 0 if they are pins */
    u64 pending;          /* the lines of messages: set as they arrive, cleared by Python's acknowledgement */
    u64 wake_cycle;       /* next falling edge for which Python asks */
    u64 wake_lines;       /* interrupt lines whose being high wakes Python earlier */
    u64 wakes;            /* how often Python was woken */
    u64 wire_starts;      /* counted up by Python to start the player */
    u64 link;             /* PHY: bit 0 link is up, bit 1 it is half duplex */
    u64 straps[4];        /* engine options, bit 0 of word 0 first */
    u64 memory_errors;    /* accesses outside host memory */
    u64 memory_first;     /* address of the first of them */
    u64 csr_errors;       /* the engine did not take or answer in the contract's cycle */
    u64 csr_first_cycle;  /* when that was first seen */
    u64 bus_errors;       /* bursts against the rules of AXI */
    u64 bus_first_cycle;  /* when that was first seen */
    u64 unknown_arguments; /* X or Z bits handed to this library (Icarus only) */
};
extern struct rb_control rb_control;

void rb_count_error(u64 *count, u64 *first, u64 value);

#define RB_TASK0(name) void name(void);
#define RB_TASK1(name) void name(u64);
#define RB_TASK2(name) void name(u64, u64);
#define RB_TASK3(name) void name(u64, u64, u64);
#define RB_TASK4(name) void name(u64, u64, u64, u64);
#define RB_TASK5(name) void name(u64, u64, u64, u64, u64);
#define RB_FUNCTION0(name) u64 name(void);
#define RB_FUNCTION1(name) u64 name(u64);
#define RB_FUNCTION2(name) u64 name(u64, u64);
#define RB_FUNCTION3(name) u64 name(u64, u64, u64);
#define RB_FUNCTION4(name) u64 name(u64, u64, u64, u64);
#define RB_FUNCTION5(name) u64 name(u64, u64, u64, u64, u64);
#define TASK(name, arguments) RB_TASK##arguments(name)
#define FUNCTION(name, arguments) RB_FUNCTION##arguments(name)
#include "table.h"
#undef TASK
#undef FUNCTION

#endif
