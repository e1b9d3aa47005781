//! Times, sizes and budgets as people write them.

use nub_lab::isolate::Budget;
use std::time::Duration;

/// Reads `90`, `90s`, `1.5m`, `2h`, `1h30m` or `500ms`; a bare number is in seconds.
pub fn time(text: &str) -> Result<Duration, String> {
    let bad =
        || format!("`{text}` is not a time: expected a number of seconds, or units as in 1h30m, 90s, 500ms");
    if text.chars().all(|c| c.is_ascii_digit() || c == '.') {
        return seconds(text, 1.0).ok_or_else(bad);
    }
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').ok_or_else(bad)?;
        let (number, after) = rest.split_at(digits);
        let units = [("ms", 0.001), ("s", 1.0), ("min", 60.0), ("m", 60.0), ("h", 3600.0)];
        let (unit, size) = units.into_iter().find(|(unit, _)| after.starts_with(unit)).ok_or_else(bad)?;
        let part = seconds(number, size).ok_or_else(bad)?;
        total = total.checked_add(part).ok_or_else(bad)?;
        rest = &after[unit.len()..];
    }
    Ok(total)
}

fn seconds(number: &str, size: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * size).ok().filter(|time| !time.is_zero())
}

/// Reads `512M`, `2G`, `100K` or a number of bytes.
pub fn size(text: &str) -> Result<u64, String> {
    let bad = || format!("`{text}` is not a size: expected a number with K, M or G, or a number of bytes");
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let shift = match unit.to_ascii_uppercase().trim_end_matches("IB").trim_end_matches('B') {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        _ => return Err(bad()),
    };
    let number: u64 = number.parse().map_err(|_| bad())?;
    number.checked_mul(1 << shift).filter(|bytes| *bytes > 0).ok_or_else(bad)
}

/// Reads a time with a unit, or a bare number of tests.
pub fn budget(text: &str) -> Result<Budget, String> {
    let number = text.strip_suffix("tests").unwrap_or(text).trim_end();
    if let Ok(tests) = number.parse() {
        return Ok(Budget::Tests(tests));
    }
    let bad =
        |_| format!("`{text}` is not a budget: expected a number of tests, or a time as in 10m or 1h30m");
    time(text).map(Budget::Time).map_err(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_may_have_units() {
        let table = [
            ("90", 90_000),
            ("1.5", 1_500),
            ("90s", 90_000),
            ("1h30m", 5_400_000),
            ("2min", 120_000),
            ("500ms", 500),
        ];
        for (text, ms) in table {
            assert_eq!(time(text), Ok(Duration::from_millis(ms)), "{text}");
        }
        for bad in ["", "0", "x", "5x", "m", "1m5", "-1", "1..5", "99999999999999999999999h"] {
            assert!(time(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_may_have_units() {
        for (text, bytes) in
            [("4096", 4096), ("1K", 1024), ("2g", 2 << 30), ("512MiB", 512 << 20), ("1MB", 1 << 20)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "M", "0", "1.5G", "-1", "1T", "99999999999G"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_budget_is_tests_or_time() {
        assert_eq!(budget("200"), Ok(Budget::Tests(200)));
        assert_eq!(budget("200 tests"), Ok(Budget::Tests(200)));
        assert_eq!(budget("10m"), Ok(Budget::Time(Duration::from_secs(600))));
        assert!(budget("soon").unwrap_err().starts_with("`soon` is not a budget"));
    }
}
