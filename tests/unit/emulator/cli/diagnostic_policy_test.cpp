#include "emulator/cli/diagnostic_policy.hpp"

#include <gtest/gtest.h>

#include "emulator/board/host_error.hpp"

namespace avrlan {
namespace {

std::optional<Severity> severity(std::initializer_list<const char*> rules, const char* name, Severity own) {
  DiagnosticPolicy policy;
  for (const char* rule : rules) policy.add(rule);
  return policy.severity(name, own);
}

TEST(DiagnosticPolicy, LeavesEverythingAsItIsWithoutRules) {
  EXPECT_EQ(severity({}, "enc28j60-overflow", Severity::note), Severity::note);
}

TEST(DiagnosticPolicy, TakesNamesBeginningsSeveritiesAndAll) {
  EXPECT_EQ(severity({"enc28j60-overflow=error"}, "enc28j60-overflow", Severity::note), Severity::error);
  EXPECT_EQ(severity({"enc28j60-overflow=error"}, "enc28j60-overflow-unserviced", Severity::note), Severity::note);
  EXPECT_EQ(severity({"enc28j60-overflow*=error"}, "enc28j60-overflow-unserviced", Severity::note), Severity::error);
  EXPECT_EQ(severity({"warning=error"}, "wire-fcs", Severity::warning), Severity::error);
  EXPECT_EQ(severity({"warning=error"}, "enc28j60-overflow", Severity::note), Severity::note);
  EXPECT_EQ(severity({"all=ignore"}, "wire-fcs", Severity::warning), std::nullopt);
}

TEST(DiagnosticPolicy, LetsLaterRulesWinWithinAndAcrossOptions) {
  EXPECT_EQ(severity({"all=ignore,wire-*=note", "wire-fcs=error"}, "wire-fcs", Severity::warning), Severity::error);
  EXPECT_EQ(severity({"all=ignore,wire-*=note", "wire-fcs=error"}, "wire-length", Severity::warning), Severity::note);
  EXPECT_EQ(severity({"wire-fcs=error", "all=ignore"}, "wire-fcs", Severity::warning), std::nullopt);
}

TEST(DiagnosticPolicy, GoesByTheSeverityThatADiagnosticHasOfItsOwn) {
  EXPECT_EQ(severity({"wire-fcs=note", "note=ignore"}, "wire-fcs", Severity::warning), Severity::note);
}

TEST(DiagnosticPolicy, SaysWhatIsWrongAndWhatIsMeant) {
  const auto hint = [](const char* rules) {
    try {
      DiagnosticPolicy().add(rules);
    } catch (const UsageError& error) {
      return std::string(error.what()) + "; " + error.hint();
    }
    return std::string();
  };
  EXPECT_NE(hint("enc28j60-overflw=error").find("did you mean 'enc28j60-overflow'?"), std::string::npos);
  EXPECT_NE(hint("wire-fcs=fatal").find("'fatal' is no severity; use ignore, note, warning or error"),
            std::string::npos);
  for (const char* bad : {"", "error", "wire-fcs", "wire-fcs=error,", "=error", "nothing*=error"}) {
    EXPECT_NE(hint(bad), "") << bad;
  }
}

TEST(DiagnosticPolicy, KnowsEveryNameOnce) {
  const auto& kinds = diagnostic_kinds();
  ASSERT_GT(kinds.size(), 40u);
  for (std::size_t n = 1; n < kinds.size(); ++n) EXPECT_LT(kinds[n - 1].name, kinds[n].name);
}

TEST(DiagnosticPolicy, WhatEndsTheRunStaysAnError) {
  EXPECT_EQ(severity({"all=ignore"}, "illegal-opcode", Severity::error), Severity::error);
  for (const char* final : {"illegal-opcode", "outside-flash", "closed-flash"}) {
    DiagnosticPolicy policy;
    policy.add(final + std::string("=warning"));
    EXPECT_THROW(policy.use(EngineKind::exact), UsageError) << final;
  }
}

TEST(DiagnosticPolicy, WhatTheMachineCanGoOnAfterNeedNotEndIt) {
  EXPECT_EQ(severity({"stack-overflow=ignore"}, "stack-overflow", Severity::error), std::nullopt);
  EXPECT_EQ(severity({"wild-access=note"}, "wild-access", Severity::error), Severity::note);
}

TEST(DiagnosticPolicy, KnowsWhatSimavrsEngineCannot) {
  const auto check = [](const char* rules, EngineKind engine) {
    DiagnosticPolicy policy;
    policy.add(rules);
    policy.use(engine);
    return policy.severity("wild-access", Severity::error);
  };
  EXPECT_THROW(check("stack-overflow=error", EngineKind::simavr), UsageError);
  EXPECT_THROW(check("wild-access=warning", EngineKind::simavr), UsageError);
  for (const char* fine : {"wild-access=error", "all=ignore", "wire-fcs=ignore", "mcu-clock-stopped=note"})
    EXPECT_NO_THROW(check(fine, EngineKind::simavr)) << fine;
  EXPECT_EQ(check("all=ignore", EngineKind::simavr), Severity::error);
  EXPECT_EQ(check("all=ignore", EngineKind::exact), std::nullopt);
  EXPECT_NO_THROW(check("stack-overflow=note,wild-access=ignore", EngineKind::exact));
}

}  // namespace
}  // namespace avrlan
