#pragma once
// What `--net` can ask for, as text and as an object.

#include <memory>
#include <string_view>
#include <variant>

#include "emulator/net/backend.hpp"
#include "emulator/net/gateway.hpp"
#include "emulator/net/socket_backend.hpp"
#include "emulator/net/tap.hpp"

namespace avrlan::net {

// monostate: the cable ends in nothing.
using FarEndOptions = std::variant<std::monostate, GatewayOptions, TapOptions, SocketOptions>;

// none
// user[,restrict=on|off]
// tap[,ifname=NAME][,addr=A.B.C.D/N]
// socket,listen=ADDRESS
// socket,connect=ADDRESS[,reconnect=SECONDS]
// socket,local=ADDRESS,remote=ADDRESS
// ADDRESS is [HOST]:PORT or unix:PATH. Throws UsageError that shows the right form.
FarEndOptions parse_far_end(std::string_view text);

// For `--help`: these forms, a line each.
std::string_view far_end_help();

// What is there keeps the wall clock's time and has to be run at its pace.
bool needs_real_pace(const FarEndOptions& options);

// nullptr: nothing. Throws HostError.
std::unique_ptr<Backend> make_far_end(const FarEndOptions& options, Scheduler& scheduler, FrameSink& to_board);

}  // namespace avrlan::net
