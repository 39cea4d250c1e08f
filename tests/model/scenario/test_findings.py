"""The verdict."""

import pytest

from model.scenario import BREACHES, FINDINGS, Expect, meaning, verdict


def test_clean_passes_only_without_findings():
    assert verdict([], Expect()).passed
    judged = verdict(["tx_overrun"], Expect())
    assert not judged.passed
    assert judged.surplus == ("tx_overrun",)
    assert str(judged) == "found tx_overrun"


def test_what_must_show_must_show():
    expect = Expect(frozenset({"tx_overrun", "tx_stopped"}))
    assert verdict(["tx_stopped", "tx_overrun"], expect).passed
    judged = verdict(["tx_stopped"], expect)
    assert judged.missing == ("tx_overrun",)
    assert str(judged) == "did not find tx_overrun"


def test_what_may_show_may_be_absent():
    expect = Expect(frozenset({"rx_bna"}), frozenset({"lost_frame"}))
    assert verdict(["rx_bna"], expect).passed
    assert verdict(["rx_bna", "lost_frame"], expect).passed
    assert not verdict(["lost_frame"], expect).passed


@pytest.mark.parametrize("breach", sorted(BREACHES))
def test_a_breach_never_passes(breach):
    expect = Expect(frozenset({"tx_stopped"}), frozenset(FINDINGS) - {"tx_stopped"})
    assert not verdict(["tx_stopped", breach], expect).passed


def test_a_misspelt_finding_is_an_error():
    with pytest.raises(ValueError, match="no such finding: tx_stoped"):
        verdict(["tx_stoped"], Expect())


def test_every_name_has_a_line_and_one_meaning():
    assert not FINDINGS.keys() & BREACHES.keys()
    assert all("\n" not in meaning(name) for name in [*FINDINGS, *BREACHES])


def test_text_of_what_is_expected():
    assert str(Expect()) == "clean"
    assert str(Expect(frozenset({"b", "a"}))) == "a+b"
