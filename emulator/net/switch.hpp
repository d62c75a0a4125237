#pragma once
// A learning switch (IEEE 802.1D-2004 7.6 to 7.9), store and forward, with any number of ports.
//
// A frame is taken whole at the instant of its last bit. Learning, looking up and handing on happen together, `latency`
// later, by an event of the scheduler: frames of one instant in the order of their ports' numbers, copies of one frame in
// that order, too, so that the order in which the stations were run does not show.
// Not modelled: spanning tree (in a loop of switches a broadcast never ends), VLANs, priorities, PAUSE (dropped, as any bridge does with 01:80:C2:00:00:0x), queues and
// rates at the ports: put a Link behind each.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/net/mac_prefix.hpp"
#include "nic-model/core/diagnostics.hpp"
#include "nic-model/core/frame.hpp"
#include "nic-model/core/scheduler.hpp"

namespace avrlan::net {

struct SwitchOptions {
  Duration latency;                          // from a frame's last bit to its copies, each of them whole
  Duration ageing = Duration::seconds(300);  // a station not heard for so long is forgotten (802.1D table 7-5)
  std::size_t most_stations = 1024;          // one more is not learnt, what is for it is flooded
};

struct SwitchPortOptions {
  std::string name;
  // Stations that are here and nowhere else. With any, frames for a station that nobody has heard of are not flooded into
  // this port: libslirp looks at no address and would take them for its own.
  std::vector<MacPrefix> fixed;
};

// Octets are without FCS.
struct SwitchPortCounters {
  std::uint64_t received_frames = 0;  // dropped ones included
  std::uint64_t received_octets = 0;
  std::uint64_t sent_frames = 0;
  std::uint64_t sent_octets = 0;
  std::uint64_t flooded = 0;     // received, and sent to more than the one port of their station
  std::uint64_t moved = 0;       // stations that were at another port before
  std::uint64_t not_learnt = 0;  // frames of a station of another port's `fixed`, or with the table full
  DropCounters drops;            // received here
};

class Switch {
 public:
  class Port : public FrameSink {
   public:
    // The frames that leave by this port go to `to`, from inside the scheduler. Before, nothing leaves by it.
    void connect(FrameSink& to) { to_ = &to; }
    // Takes a frame from the cable. Drops bad_fcs, runt (below 60 octets), giant (above 1514), malformed (a source that is
    // a group or all zeros), filtered (to this same port, or reserved for bridges), link_down (to a
    // port that is not connected), no_destination (no port to take it).
    void deliver(const EthernetFrame& frame) override;

    unsigned number() const { return number_; }
    const std::string& name() const { return options_.name; }
    const SwitchPortCounters& counters() const { return counters_; }

   private:
    friend class Switch;
    Port(Switch& owner, unsigned number, SwitchPortOptions options)
        : owner_(owner), number_(number), options_(std::move(options)) {}
    bool owns(const MacAddress& station) const;
    void send(const EthernetFrame& frame);

    Switch& owner_;
    unsigned number_;
    SwitchPortOptions options_;
    FrameSink* to_ = nullptr;
    SwitchPortCounters counters_;
  };

  explicit Switch(Scheduler& scheduler, const SwitchOptions& options = {});
  ~Switch();
  Switch(const Switch&) = delete;
  Switch& operator=(const Switch&) = delete;

  // The ports are numbered from 0 in this order. The reference is good as long as the switch.
  Port& add_port(SwitchPortOptions options);
  const std::vector<std::unique_ptr<Port>>& ports() const { return ports_; }

  // Where frames for this station go now; nullptr: everywhere.
  const Port* port_of(const MacAddress& station) const;
  // Of all ports.
  DropCounters drops() const;

 private:
  struct Station {
    Port* port;
    Instant heard;
  };
  struct Waiting {
    Instant arrived;
    Port* from;
    EthernetFrame frame;
  };

  void plan();
  void forward_arrived();
  void forward(Port& from, const EthernetFrame& frame);
  void learn(const MacAddress& source, Port& from);
  bool is_silent(const Station& station) const;
  Port* find(const MacAddress& station) const;

  Scheduler& scheduler_;
  SwitchOptions options_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::map<MacAddress, Station> stations_;
  std::deque<Waiting> waiting_;
  Scheduler::EventId event_;
};

}  // namespace avrlan::net
