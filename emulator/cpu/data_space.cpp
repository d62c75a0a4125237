#include "emulator/cpu/data_space.hpp"

namespace avrlan::cpu {

DataSpace::DataSpace(std::uint8_t* data, std::uint16_t io_last, std::uint16_t ram_last, ExternalMemory kind)
    : data_(data), io_last_(io_last), ram_last_(ram_last), kind_(kind) {
  for (unsigned page = 0; page <= ram_last_ >> 8U; ++page) pages_[page].memory = data_ + 256 * page;
}

void DataSpace::add_ram(std::uint16_t first, std::uint16_t last) {
  auto& bytes = rams_.emplace_back(static_cast<std::size_t>(last - first + 1));
  for (unsigned page = first >> 8U; page <= last >> 8U; ++page) {
    soldered_[page].memory = bytes.data() + (256 * page - first);
    soldered_[page].device = nullptr;
  }
  update_external_bus();
}

void DataSpace::add_device(std::uint16_t first, std::uint16_t last, BusDevice& device) {
  for (unsigned page = first >> 8U; page <= last >> 8U; ++page) {
    soldered_[page].memory = nullptr;
    soldered_[page].device = &device;
  }
  update_external_bus();
}

void DataSpace::update_external_bus() {
  if (kind_ == ExternalMemory::none) return;
  bus_ = external_bus(kind_, data_);
  for (unsigned page = (ram_last_ >> 8U) + 1; page < pages_.size(); ++page) {
    Page mapped;
    if (bus_.enabled) {
      mapped = soldered_[(page & bus_.address_mask >> 8U)];
      mapped.external = true;
      mapped.waits = 256 * page < bus_.upper_sector ? bus_.lower_waits : bus_.upper_waits;
    }
    pages_[page] = mapped;
  }
}

std::uint8_t DataSpace::peek(std::uint16_t address) const {
  const Page& mapped = page(address);
  if (mapped.device != nullptr) return mapped.device->peek(bus_address(address));
  if (mapped.memory == nullptr || (!mapped.external && address > ram_last_)) return 0;
  return mapped.memory[address & 0xFF];
}

bool DataSpace::poke(std::uint16_t address, std::uint8_t value) {
  const Page& mapped = page(address);
  if (!mapped.external || mapped.memory == nullptr) return false;
  mapped.memory[address & 0xFF] = value;
  return true;
}

}  // namespace avrlan::cpu
