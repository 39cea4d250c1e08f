/* What the files of the bus memory share: a burst, its record, and settings. */
#ifndef RINGBENCH_BUS_H
#define RINGBENCH_BUS_H

#include "ringbench.h"

enum { REQUESTERS = 16, OPEN_READS = 256, BURST_BYTES = 256 * 128 };
enum { OKAY = 0, SLVERR = 2, FIXED = 0, INCR = 1 };

struct rb_burst {
    u64 open_cycle;  /* of the address handshake */
    u64 begin_cycle; /* of the first data beat */
    u64 end_cycle;   /* of the last data beat */
    u64 reply_cycle; /* of a write's first bvalid; a read's last beat */
    u64 address;
    uint32_t ordinal; /* of its requester and direction, from 0 */
    uint16_t beats;
    uint8_t size; /* log2 of the bytes of a beat */
    uint8_t kind; /* FIXED, INCR */
    uint8_t requester;
    uint8_t write;
    uint8_t response;
    uint8_t spare;
    uint32_t extra_cycles;
};

struct rb_bus_timing {
    u64 read_latency, write_latency, beat_interval, jitter, seed, outstanding, log_bursts;
};
extern struct rb_bus_timing rb_timing;
extern u64 rb_width_bytes; /* of a beat on the whole bus */

struct rb_burst rb_burst_opened(u64 write, u64 cycle, u64 requester, u64 address, u64 beats, u64 shape);
u64 rb_burst_word(const struct rb_burst *burst, u64 beat);
void rb_burst_finished(const struct rb_burst *burst);
void rb_broken_rule(u64 cycle);

void rb_reads_clear(void);
void rb_writes_clear(void);
void rb_words_clear(void);

/* Offers to the link that are not booked yet, see offers.c: RB_NEVER if there is none. */
u64 rb_read_stamp(void);
void rb_read_book(void);
u64 rb_write_stamp(void);
void rb_write_book(void);
u64 rb_csr_stamp(void);
void rb_csr_book(void);
void rb_offers_book(u64 before);

/* Reads that the link has carried up: when the next takes its bytes, and doing it. */
u64 rb_fetch_due(void);
void rb_fetch(void);

/* Words on their way to memory, see words.c. */
void rb_word_store(u64 address, u64 data, unsigned strobe);
void rb_word_send(u64 visible, u64 address, u64 data, unsigned strobe);
void rb_words_arrive(u64 cycle);
u64 rb_message_due(void);

#endif
