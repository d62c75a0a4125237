#pragma once
// The numbers of pcapng (draft-ietf-opsawg-pcapng) that our captures use, and what a replay needs beyond them.
//
// A capture made to be replayed has, in comments: of the section, what was run and how (JSON, emulator/cli/trace_header.hpp);
// of each frame to the board, when the network's end of the wire had it to send; of the interface statistics, the last
// block, how the run ended (JSON).

#include <cstddef>
#include <cstdint>

namespace avrlan::net::pcapng {

// Blocks, section 4.
inline constexpr std::uint32_t section_header_block = 0x0a0d0d0a;
inline constexpr std::uint32_t interface_description_block = 1;
inline constexpr std::uint32_t interface_statistics_block = 5;
inline constexpr std::uint32_t enhanced_packet_block = 6;
inline constexpr std::uint32_t byte_order_magic = 0x1a2b3c4d;
inline constexpr std::uint16_t linktype_ethernet = 1;

// Options, section 3.5.
inline constexpr std::uint16_t opt_endofopt = 0;
inline constexpr std::uint16_t opt_comment = 1;
inline constexpr std::uint16_t shb_userappl = 4;
inline constexpr std::uint16_t if_name = 2;
inline constexpr std::uint16_t if_tsresol = 9;
inline constexpr std::uint16_t if_fcslen = 13;
inline constexpr std::uint16_t epb_flags = 2;
inline constexpr std::uint16_t epb_packetid = 5;
inline constexpr std::uint8_t nanoseconds = 9;  // of if_tsresol

inline constexpr std::uint32_t flag_inbound = 1;
inline constexpr std::uint32_t flag_outbound = 2;
inline constexpr std::uint32_t flag_crc_error = 1U << 24;

// Length fields of options have 16 bits.
inline constexpr std::size_t longest_option = 0xffff;

}  // namespace avrlan::net::pcapng
