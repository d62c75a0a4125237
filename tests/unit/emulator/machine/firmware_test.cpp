#include "emulator/board/firmware.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/accuracy/machine/bench.hpp"

namespace avrlan::testing {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<char>;

class FirmwareFile : public ::testing::Test {
 protected:
  FirmwareFile() {
    std::string pattern = (fs::temp_directory_path() / "avrlan-firmware-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~FirmwareFile() override { fs::remove_all(directory_); }

  fs::path write(const Bytes& bytes) const {
    const fs::path path = directory_ / "firmware.elf";
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return path;
  }

  // what() and hint() of the refusal, each one line.
  static std::string refusal(const fs::path& path) {
    try {
      Firmware::load_elf(path);
    } catch (const HostError& error) {
      const std::string text = std::string{error.what()} + " | " + error.hint();
      EXPECT_EQ(text.find('\n'), std::string::npos) << text;
      EXPECT_NE(text.find(path.filename().string()), std::string::npos) << text;
      EXPECT_FALSE(error.hint().empty());
      return text;
    }
    return "accepted";
  }

  static Bytes read(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path directory_;
};

bool says(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

fs::path program(const std::string& name) {
  return assembled(name).path;
}

TEST_F(FirmwareFile, HasWhatTheLinkerPutIn) {
  const Firmware firmware = assembled("linked_atmega328p");
  EXPECT_EQ(firmware.mcu, "atmega328p");
  EXPECT_EQ(firmware.hz, 12'000'000) << ".mmcu";
  EXPECT_EQ(firmware.sha256.size(), 64U);
  EXPECT_EQ(firmware.flash[0], 0x12);
  EXPECT_EQ(firmware.flash[1], 0xc0) << "RJMP over the 36 bytes";
  // .data follows .text in flash.
  EXPECT_EQ(std::string(firmware.flash.end() - 4, firmware.flash.end()), "data");
  EXPECT_EQ(firmware.eeprom, (std::vector<std::uint8_t>{'e', 'e'}));
  EXPECT_EQ(firmware.fuses, (std::vector<std::uint8_t>{0xe2, 0xd9, 0xff}));
  EXPECT_EQ(firmware.data_end, 0x100 + 4 + 10);
  ASSERT_EQ(firmware.objects.size(), 2U);
  EXPECT_EQ(firmware.objects[0].name, "in_data");
  EXPECT_EQ(firmware.objects[0].address, 0x100U);
  EXPECT_EQ(firmware.objects[1].name, "in_bss");
  EXPECT_EQ(firmware.objects[1].size, 10U);
}

TEST_F(FirmwareFile, NamesTheFunctionAtAnAddress) {
  const Firmware firmware = assembled("linked_atmega328p");
  const std::uint32_t function = label(firmware, "a_function");
  const auto name = [&](std::uint32_t pc) {
    const Symbol* symbol = firmware.function_at(pc);
    return symbol == nullptr ? std::string{"none"} : symbol->name;
  };
  EXPECT_EQ(name(function), "a_function") << "rather than the label beside it";
  EXPECT_EQ(name(function + 4), "a_function") << "rather than the label inside it";
  EXPECT_EQ(name(function + 6), "assembly") << "a label without a size reaches to the next symbol";
  EXPECT_EQ(name(function + 8), "assembly");
  EXPECT_EQ(Firmware{}.function_at(0), nullptr);
}

TEST_F(FirmwareFile, ThatDoesNotExistOrIsNoFileIsRefused) {
  EXPECT_TRUE(says(refusal(directory_ / "nothing.elf"), "no such file"));
  EXPECT_TRUE(says(refusal(directory_), "it is a directory"));
}

TEST_F(FirmwareFile, ThatCannotBeReadIsRefused) {
  const fs::path path = write(read(program("exit_0_atmega328p")));
  fs::permissions(path, fs::perms::none);
  if (::geteuid() == 0) GTEST_SKIP() << "root reads everything";
  EXPECT_TRUE(says(refusal(path), "cannot be read"));
}

TEST_F(FirmwareFile, ThatIsNoElfIsRefused) {
  EXPECT_TRUE(says(refusal(write({})), "is not an ELF file"));
  EXPECT_TRUE(says(refusal(write({'x'})), "is not an ELF file"));
  const std::string hex = ":100000000C9434000C9446000C9446000C94460069\n";
  EXPECT_TRUE(says(refusal(write({hex.begin(), hex.end()})), "not a .hex"));
}

TEST_F(FirmwareFile, ForAnotherMachineIsRefused) {
  Bytes bytes = read(program("exit_0_atmega328p"));
  bytes[18] = 62;  // e_machine: EM_X86_64
  EXPECT_TRUE(says(refusal(write(bytes)), "is not for an AVR"));
}

TEST_F(FirmwareFile, ThatIsNotLinkedIsRefused) {
  Bytes bytes = read(program("exit_0_atmega328p"));
  bytes[16] = 1;  // e_type: ET_REL
  EXPECT_TRUE(says(refusal(write(bytes)), "is not linked"));
}

TEST_F(FirmwareFile, ThatLoadsNothingOrIntoRamIsRefused) {
  Bytes bytes = read(program("exit_0_atmega328p"));
  const std::size_t first_segment = 52;
  bytes[first_segment + 12 + 2] = static_cast<char>(0x80);  // p_paddr
  EXPECT_TRUE(says(refusal(write(bytes)), "neither flash nor EEPROM"));
  bytes[first_segment + 16] = 0;  // p_filesz
  bytes[first_segment + 17] = 0;
  EXPECT_TRUE(says(refusal(write(bytes)), "nothing to load"));
}

TEST_F(FirmwareFile, CutAtAnyLengthIsRefusedOrLoaded) {
  const Bytes whole = read(program("linked_atmega328p"));
  const std::size_t segments_end = 0x100;
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    const std::string text = refusal(write({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}));
    if (length < segments_end) {
      EXPECT_NE(text, "accepted") << length;
    }
  }
}

// Every damage ends in a Firmware or a HostError, of a size that a host survives.
TEST_F(FirmwareFile, DamagedInAnyWayIsRefusedOrLoaded) {
  const Bytes whole = read(program("linked_atmega328p"));
  std::mt19937 random(1);
  for (int i = 0; i < 1'000; ++i) {
    Bytes bytes = whole;
    const int damages = 1 + static_cast<int>(random() % 8);
    for (int n = 0; n < damages; ++n) {
      // Half of it in the headers at both ends, where it matters.
      const std::size_t at = random() % 2 == 0 ? random() % 200 : random() % bytes.size();
      bytes[at] = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    const fs::path path = write(bytes);
    try {
      const Firmware firmware = Firmware::load_elf(path);
      EXPECT_LE(firmware.flash.size(), 0x800000U);
    } catch (const HostError& error) {
      EXPECT_EQ(std::string{error.what()}.find('\n'), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace avrlan::testing
