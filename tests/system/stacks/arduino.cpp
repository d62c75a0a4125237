// Functions that have the names of the Arduino's UIPEthernet and EtherCard, each called for ever.

#include <avr/io.h>

#define NAMED __attribute__((noinline, noclone, used))

struct Enc28J60Network {
  static void readPacket();
};
struct ENC28J60 {
  static void packetSend();
};
struct MemoryPool {
  static void allocBlock();
};
struct UIPEthernetClass {
  static void tick();
};
struct UIPClient {
  static void read();
};
struct UIPUDP {
  static void parsePacket();
};
struct EtherCard : ENC28J60 {
  static void packetLoop();
  static void packetLoopArp();
  static void udpPrepare();
  static void httpServerReply();
  static void clientIcmpRequest();
};

NAMED void Enc28J60Network::readPacket() {
  GPIOR0 = 1;
}
NAMED void ENC28J60::packetSend() {
  GPIOR0 = 2;
}
extern "C" NAMED void enc28J60_mempool_block_move_callback() {
  GPIOR0 = 3;
}
NAMED void MemoryPool::allocBlock() {
  GPIOR0 = 4;
}
NAMED void UIPEthernetClass::tick() {
  GPIOR0 = 5;
}
NAMED void UIPClient::read() {
  GPIOR0 = 6;
}
NAMED void UIPUDP::parsePacket() {
  GPIOR0 = 7;
}
NAMED static void fill_checksum() {
  GPIOR0 = 8;
}
NAMED static void make_tcphead() {
  GPIOR0 = 9;
}
NAMED void EtherCard::packetLoop() {
  GPIOR0 = 10;
}
NAMED void EtherCard::packetLoopArp() {
  GPIOR0 = 11;
}
NAMED void EtherCard::udpPrepare() {
  GPIOR0 = 12;
}
NAMED void EtherCard::httpServerReply() {
  GPIOR0 = 13;
}
NAMED void EtherCard::clientIcmpRequest() {
  GPIOR0 = 14;
}

int main() {
  for (;;) {
    Enc28J60Network::readPacket();
    ENC28J60::packetSend();
    enc28J60_mempool_block_move_callback();
    MemoryPool::allocBlock();
    UIPEthernetClass::tick();
    UIPClient::read();
    UIPUDP::parsePacket();
    fill_checksum();
    make_tcphead();
    EtherCard::packetLoop();
    EtherCard::packetLoopArp();
    EtherCard::udpPrepare();
    EtherCard::httpServerReply();
    EtherCard::clientIcmpRequest();
  }
}
