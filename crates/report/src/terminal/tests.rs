//! Told stories, whole.

use super::*;
use crate::finding::Ending;
use crate::sample;
use expect_test::{Expect, expect};
use nub_lab::isolate::Isolated;
use nub_search::Config;

const PLAIN: Look = Look { live: false, colour: false };
const LIVE: Look = Look { live: true, colour: true };

fn told(look: Look, tell: impl FnOnce(&mut Terminal<&mut Vec<u8>>)) -> String {
    let mut out = Vec::new();
    tell(&mut Terminal::new(&mut out, look));
    // Control characters are shown, so that what overwrites what can be seen.
    String::from_utf8(out).unwrap().replace('\x1b', "^").replace('\r', "<")
}

fn check(look: Look, events: &[Event], expect: Expect) {
    expect.assert_eq(&told(look, |terminal| events.iter().for_each(|event| terminal.tell(event))));
}

fn compared() -> Event {
    Event::Compared { old: "`v1`".into(), new: "`v2`".into(), files: 3, changes: 5 }
}

fn baseline(side: Side, outcome: Outcome) -> Event {
    Event::Baseline { side, trial: sample::trial(outcome) }
}

fn progress(left: usize, needed: usize, ms: u64) -> Event {
    let numbers = Numbers { needed, ..Numbers::default() };
    Event::Progress { left, total: 5, numbers, elapsed: Duration::from_millis(ms) }
}

fn story() -> Vec<Event> {
    vec![
        compared(),
        baseline(Side::Old, Outcome::Pass),
        baseline(Side::New, Outcome::Fail),
        Event::Directed { direction: Direction::Regression, from: Side::New },
        Event::Learned { failure: sample::failure() },
        progress(5, 0, 4_000),
        Event::Tried { trial: sample::broken() },
        progress(5, 1, 5_500),
        Event::Warning("the test wrote into the workspace".into()),
        Event::Tried { trial: sample::trial(Outcome::Pass) },
        Event::Better { changes: 2, patch: b"--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z\n".to_vec() },
        progress(2, 2, 9_000),
        Event::Tried { trial: sample::trial(Outcome::Pass) },
        progress(1, 3, 11_000),
    ]
}

#[test]
fn without_a_terminal_lines_are_plain_and_not_too_many() {
    check(
        PLAIN,
        &story(),
        expect![[r#"
            `v1` and `v2`: 5 changes in 3 files
              old version, `v1`: passes (exit 0; build 2.1 s, test 0.07 s)
              new version, `v2`: fails (exit 1; build 2.1 s, test 0.07 s)
            A regression. Looking for the smallest part of the difference without which the new version passes
            A run that tells of KeyError counts as bad; other failures cannot tell (--any-failure counts them all)
            5 of 5 changes left · 2 tests · 3 builds (1 broken) · 0.2/s · 5.5 s
            warning: the test wrote into the workspace
            1 of 5 changes left · 4 tests · 5 builds (1 broken) · best patch 2 lines · 0.3/s · 11 s
        "#]],
    );
}

#[test]
fn on_a_terminal_the_last_line_is_rewritten_and_makes_room_for_what_stays() {
    check(
        LIVE,
        &story(),
        expect![[r#"
            `v1` and `v2`: 5 changes in 3 files
            <trying the old version^[K<^[K  old version, `v1`: ^[32mpasses (exit 0; build 2.1 s, test 0.07 s)^[0m
            <trying the new version^[K<^[K  new version, `v2`: ^[31mfails (exit 1; build 2.1 s, test 0.07 s)^[0m
            A regression. Looking for the smallest part of the difference without which the new version passes
            A run that tells of KeyError counts as bad; other failures cannot tell (--any-failure counts them all)
            <5 of 5 changes left · 2 tests · 2 builds (0 broken) · 0.0/s · 4.0 s^[K<5 of 5 changes left · 2 tests · 3 builds (1 broken) · 0.2/s · 5.5 s^[K<^[K^[1m^[33mwarning:^[0m the test wrote into the workspace
            <2 of 5 changes left · 3 tests · 4 builds (1 broken) · best patch 2 lines · 0.2/s · 9.0 s^[K<1 of 5 changes left · 4 tests · 5 builds (1 broken) · best patch 2 lines · 0.3/s · 11 s^[K"#]],
    );
}

#[test]
fn plain_progress_gets_rarer_with_time() {
    let mut events = vec![];
    events.extend((0..3_600).map(|second| progress(5, 1, second * 1_000)));
    let lines = told(PLAIN, |terminal| events.iter().for_each(|event| terminal.tell(event))).lines().count();
    assert!((15..40).contains(&lines), "{lines} lines in an hour");
}

#[test]
fn live_progress_is_not_drawn_for_every_event() {
    let drawn = told(LIVE, |terminal| (0..1_000).for_each(|ms| terminal.tell(&progress(5, 1, ms))));
    assert_eq!(drawn.matches('<').count(), 9);
}

#[test]
fn a_resumed_run_says_so() {
    check(
        PLAIN,
        &[Event::Resumed { answers: 1 }],
        expect![[r#"
            Going on with 1 answer of an earlier run; --fresh starts again
        "#]],
    );
}

#[test]
fn every_direction_is_said_in_words() {
    use Direction::{Fix, Regression};
    let events = [(Regression, Side::New), (Regression, Side::Old), (Fix, Side::Old), (Fix, Side::New)]
        .map(|(direction, from)| Event::Directed { direction, from });
    check(
        PLAIN,
        &events,
        expect![[r#"
            A regression. Looking for the smallest part of the difference without which the new version passes
            A regression. Looking for the smallest part of the difference with which the old version fails
            A fix. Looking for the smallest part of the difference with which the old version passes
            A fix. Looking for the smallest part of the difference without which the new version fails
        "#]],
    );
}

fn check_finish(change: impl FnOnce(&mut Isolated), ending: Ending, expect: Expect) {
    let plan = sample::plan();
    let mut isolated = sample::isolated(&plan, Config::from([1, 2]));
    change(&mut isolated);
    let finding = Finding { plan: &plan, isolated: &isolated, ending };
    expect.assert_eq(&told(PLAIN, |terminal| terminal.finish(&finding, Some(Path::new("out")))));
}

#[test]
fn finish_says_what_where_how_sure_and_at_what_cost() {
    check_finish(
        |_| {},
        Ending::Finished,
        expect![[r#"

            Take back 2 of 5 changes, and the test passes:
              src/a.c:2  replaces 1 line by 1
              src/a.c:4  deletes 1 line
            Proven: the test passes with this patch (exit 0), and no longer without any one of its changes (1-minimal)
            Cost: 12 tests needed (3 broken builds), 4 guessed, 7 saved; 1 min 23 s, your commands 2 min 20 s
            Results: out
        "#]],
    );
}

#[test]
fn finish_admits_that_a_result_did_not_hold() {
    check_finish(
        |isolated| isolated.witness = Some(sample::trial(Outcome::Fail)),
        Ending::Finished,
        expect![[r#"

            Take back 2 of 5 changes, and the test passes:
              src/a.c:2  replaces 1 line by 1
              src/a.c:4  deletes 1 line
            Not confirmed: built and tested once more from scratch, the patch did not hold (exit 1)
            Cost: 12 tests needed (3 broken builds), 4 guessed, 7 saved; 1 min 23 s, your commands 2 min 20 s
            Results: out
        "#]],
    );
}

#[test]
fn finish_says_what_was_left_open() {
    let unproven = |isolated: &mut Isolated| {
        isolated.one_minimal = false;
        isolated.finished = false;
    };
    check_finish(
        unproven,
        Ending::Budget,
        expect![[r#"

            Take back 2 of 5 changes, and the test passes:
              src/a.c:2  replaces 1 line by 1
              src/a.c:4  deletes 1 line
            Tested: the test passes with this patch (exit 0). Not proven: that all of it is needed; the budget was used up, and a smaller one may exist
            Cost: 12 tests needed (3 broken builds), 4 guessed, 7 saved; 1 min 23 s, your commands 2 min 20 s
            Results: out
        "#]],
    );
    let untested = |isolated: &mut Isolated| {
        unproven(isolated);
        isolated.witness = None;
        isolated.critical = Config::full(5);
        isolated.from = Side::Old;
    };
    check_finish(
        untested,
        Ending::Interrupted,
        expect![[r#"

            Make 5 of 5 changes, and the test fails:
              run:1      inserts 1 line
              src/a.c:2  replaces 1 line by 1
              src/a.c:5  deletes 1 line
              src/b.c    creates the file
              src/b.c:1  inserts 1 line
            Tested: the test fails with this patch (known from the journal or the baseline). Not proven: that all of it is needed; it was interrupted, and a smaller one may exist
            Cost: 12 tests needed (3 broken builds), 4 guessed, 7 saved; 1 min 23 s, your commands 2 min 20 s
            Results: out
        "#]],
    );
}
