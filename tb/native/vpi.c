/* The functions of table.h as Icarus system tasks and functions ($rb_...).
 *
 * The argument handles of a call site never change, so they are looked up once, when the site is compiled,
 * and kept as its user data: a call then costs one value read an argument.
 */
#include <stdlib.h>
#include <string.h>
#include <vpi_user.h>

#include "ringbench.h"

enum { MOST_ARGUMENTS = 5 };

struct entry {
    const char *name;
    void *function;
    int arguments;
    int returns;
};

struct site {
    const struct entry *entry;
    vpiHandle call;
    vpiHandle argument[MOST_ARGUMENTS];
    u64 mask[MOST_ARGUMENTS]; /* Icarus leaves what lies above an expression's width undefined */
};

#define TASK(name, arguments) {"$" #name, (void *)name, arguments, 0},
#define FUNCTION(name, arguments) {"$" #name, (void *)name, arguments, 1},
static const struct entry entries[] = {
#include "table.h"
};

static u64 argument_value(const struct site *site, int k)
{
    s_vpi_value value = {.format = vpiVectorVal};
    s_vpi_vecval *vector;
    u64 word, unknown;

    vpi_get_value(site->argument[k], &value);
    vector = value.value.vector;
    word = (uint32_t)vector[0].aval;
    unknown = (uint32_t)vector[0].bval;
    if (site->mask[k] >> 32) {
        word |= (u64)(uint32_t)vector[1].aval << 32;
        unknown |= (u64)(uint32_t)vector[1].bval << 32;
    }
    word &= site->mask[k];
    unknown &= site->mask[k];
    if (unknown)
        rb_control.unknown_arguments++;
    return word & ~unknown;
}

static u64 called(const struct entry *entry, const u64 *a)
{
    typedef u64 (*f0)(void);
    typedef u64 (*f1)(u64);
    typedef u64 (*f2)(u64, u64);
    typedef u64 (*f3)(u64, u64, u64);
    typedef u64 (*f4)(u64, u64, u64, u64);
    typedef u64 (*f5)(u64, u64, u64, u64, u64);

    /* A task is called as a function whose result nobody reads. */
    switch (entry->arguments) {
    case 0: return ((f0)entry->function)();
    case 1: return ((f1)entry->function)(a[0]);
    case 2: return ((f2)entry->function)(a[0], a[1]);
    case 3: return ((f3)entry->function)(a[0], a[1], a[2]);
    case 4: return ((f4)entry->function)(a[0], a[1], a[2], a[3]);
    default: return ((f5)entry->function)(a[0], a[1], a[2], a[3], a[4]);
    }
}

static PLI_INT32 call(PLI_BYTE8 *data)
{
    const struct site *site = vpi_get_userdata(vpi_handle(vpiSysTfCall, NULL));
    u64 arguments[MOST_ARGUMENTS] = {0}, result;

    (void)data;
    for (int k = 0; k < site->entry->arguments; k++)
        arguments[k] = argument_value(site, k);
    result = called(site->entry, arguments);
    if (site->entry->returns) {
        s_vpi_vecval vector[2] = {{(PLI_INT32)result, 0}, {(PLI_INT32)(result >> 32), 0}};
        s_vpi_value value = {.format = vpiVectorVal, .value.vector = vector};

        vpi_put_value(site->call, &value, NULL, vpiNoDelay);
    }
    return 0;
}

static PLI_INT32 compile(PLI_BYTE8 *data)
{
    const struct entry *entry = (const struct entry *)data;
    struct site *site = calloc(1, sizeof *site);
    vpiHandle each, arguments;
    int count = 0;

    site->entry = entry;
    site->call = vpi_handle(vpiSysTfCall, NULL);
    arguments = vpi_iterate(vpiArgument, site->call);
    while (arguments && (each = vpi_scan(arguments))) {
        int bits = vpi_get(vpiSize, each);

        if (count < MOST_ARGUMENTS && bits <= 64) {
            site->argument[count] = each;
            site->mask[count] = ~(u64)0 >> (64 - bits);
        } else
            count = MOST_ARGUMENTS; /* told apart below: no entry takes that many and one more */
        count++;
    }
    if (count != entry->arguments) {
        vpi_printf("%s: takes %d arguments of at most 64 bits\n", entry->name, entry->arguments);
        vpi_control(vpiFinish, 1);
    }
    vpi_put_userdata(site->call, site);
    return 0;
}

static PLI_INT32 result_bits(PLI_BYTE8 *data)
{
    (void)data;
    return 64;
}

static void register_entries(void)
{
    for (size_t k = 0; k < sizeof entries / sizeof entries[0]; k++) {
        s_vpi_systf_data systf = {.type = entries[k].returns ? vpiSysFunc : vpiSysTask,
                                  .sysfunctype = entries[k].returns ? vpiSizedFunc : 0,
                                  .tfname = entries[k].name,
                                  .calltf = call,
                                  .compiletf = compile,
                                  .sizetf = result_bits,
                                  .user_data = (PLI_BYTE8 *)&entries[k]};

        vpi_register_systf(&systf);
    }
}

void (*vlog_startup_routines[])(void) = {register_entries, NULL};
