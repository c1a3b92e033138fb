/*
 * Where libsimavr 1.6 is not as the chip is, or slower or louder than it need be.
 *
 * Part of a test tool that links libsimavr and is therefore under the GNU General Public License, version 3 or later; it is
 * built for the tests and never packaged with Hoshiban.
 */
#include "mend.h"

#include <fcntl.h>
#include <libelf.h>
#include <simavr/avr_timer.h>
#include <simavr/sim_avr.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TIFR1_ADDRESS = 0x36, EIFR_ADDRESS = 0x3C };

/* libsimavr tells of every timer that starts; nobody asked. */
static void only_errors(avr_t *avr, const int level, const char *format, va_list arguments)
{
    if (level <= LOG_ERROR && avr)
        vfprintf(stderr, format, arguments);
}

void mend_noise(void) { avr_global_logger_set(only_errors); }

/*
 * Timers 0 and 2 make pulses whose width alone counts, and libsimavr tells that when it is set; but it also wakes up some
 * eight times every 16 us to count them. Taking those wake-ups out of its queue makes the rest of it ten times as fast.
 */
void mend_quiet_pulses(avr_t *avr, const struct pulse_timers *timers)
{
    avr_cycle_timer_slot_p slot = avr->cycle_timers.timer;
    while (slot) {
        avr_cycle_timer_slot_p next = slot->next;
        if (slot->param == timers->io[0] || slot->param == timers->io[1])
            avr_cycle_timer_cancel(avr, slot->timer, slot->param);
        slot = next;
    }
}

struct pulse_timers mend_find_pulses(avr_t *avr)
{
    struct pulse_timers timers = {{NULL, NULL}};
    for (avr_io_t *io = avr->io_port; io; io = io->next)
        for (int i = 0; i < 2; i++)
            if (io->irq_ioctl_get == (uint32_t)AVR_IOCTL_TIMER_GETIRQ(i ? '2' : '0'))
                timers.io[i] = io;
    return timers;
}

/*
 * A one clears a flag, a zero leaves it. libsimavr 1.6 clears every flag of a timer when any is written, and so loses an
 * overflow that comes while the capture's interrupt tidies up after itself.
 */
static void write_flags(avr_t *avr, avr_io_addr_t address, uint8_t value, void *parameter)
{
    (void)parameter;
    for (int i = 0; i < avr->interrupts.vector_count; i++) {
        avr_int_vector_t *vector = avr->interrupts.vector[i];
        if (vector->raised.reg == address && value >> vector->raised.bit & 1)
            avr_clear_interrupt(avr, vector);
    }
}

void mend_flags(avr_t *avr)
{
    static const avr_io_addr_t ADDRESSES[] = {TIFR1_ADDRESS, EIFR_ADDRESS};
    for (size_t i = 0; i < sizeof ADDRESSES / sizeof *ADDRESSES; i++) {
        avr->io[AVR_DATA_TO_IO(ADDRESSES[i])].w.c = write_flags;
        avr->io[AVR_DATA_TO_IO(ADDRESSES[i])].w.param = NULL;
    }
}

uint16_t mend_ram_used_to(const char *path)
{
    uint16_t found = 0;
    int file = open(path, O_RDONLY);
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        const Elf32_Shdr *header = elf32_getshdr(section);
        if (!header || header->sh_type != SHT_SYMTAB)
            continue;
        const Elf_Data *data = elf_getdata(section, NULL);
        const Elf32_Sym *symbols = data->d_buf;
        for (size_t i = 0; i < header->sh_size / sizeof *symbols; i++)
            if (!strcmp(elf_strptr(elf, header->sh_link, symbols[i].st_name), "_end"))
                found = (uint16_t)symbols[i].st_value; /* RAM lies at 0x800000 in the file */
    }
    elf_end(elf);
    close(file);
    return found;
}
