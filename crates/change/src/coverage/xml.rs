//! XML reports, element by element.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// What is met while an XML report is read.
pub(super) enum Met<'a> {
    /// An element begins; one without content ends at once.
    Start(&'a str, &'a Attributes),
    /// An element ends.
    End(&'a str),
    /// Text between elements.
    Text(&'a str),
}

/// The attributes of an element.
pub(super) struct Attributes(Vec<(String, String)>);

impl Attributes {
    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Result<&str, String> {
        let found = self.0.iter().find(|(key, _)| key == name);
        found.map(|(_, value)| value.as_str()).ok_or_else(|| format!("an element lacks `{name}`"))
    }

    /// The value of an attribute as a number.
    pub(super) fn number(&self, name: &str) -> Result<u64, String> {
        let value = self.get(name)?;
        value.trim().parse().map_err(|_| format!("`{name}` is no number: `{value}`"))
    }
}

/// Reads a whole document; every fault is told with the line it is in.
pub(super) fn read(text: &str, mut meet: impl FnMut(Met<'_>) -> Result<(), String>) -> Result<(), String> {
    let mut reader = Reader::from_str(text);
    let mut depth = 0usize;
    loop {
        let before = reader.buffer_position() as usize;
        let line = || 1 + text.as_bytes()[..before.min(text.len())].iter().filter(|b| **b == b'\n').count();
        let at_line = |reason: String| format!("near line {} {reason}", line());
        let event = reader.read_event().map_err(|error| at_line(format!("the XML is broken: {error}")))?;
        let met = match &event {
            Event::Start(start) | Event::Empty(start) => {
                let attributes = attributes(start).map_err(at_line)?;
                let name = start.name().0.to_owned();
                let is_empty = matches!(event, Event::Empty(_));
                depth += usize::from(!is_empty);
                let met = meet(Met::Start(&name, &attributes));
                met.and_then(|()| if is_empty { meet(Met::End(&name)) } else { Ok(()) })
            }
            Event::End(end) => {
                depth = depth.saturating_sub(1);
                meet(Met::End(end.name().0))
            }
            Event::Text(text) => meet(Met::Text(text.trim())),
            Event::Eof if depth > 0 => return Err(format!("it ends with {depth} elements still open")),
            Event::Eof => return Ok(()),
            _ => Ok(()),
        };
        met.map_err(at_line)?;
    }
}

fn attributes(start: &BytesStart<'_>) -> Result<Attributes, String> {
    let pair = |attribute: Result<quick_xml::events::attributes::Attribute<'_>, _>| {
        let attribute = attribute.map_err(|error| format!("an attribute is broken: {error}"))?;
        let value = attribute.value.into_owned();
        let value = match quick_xml::escape::unescape(&value) {
            Ok(plain) => plain.into_owned(),
            Err(_) => value,
        };
        Ok((attribute.key.0.to_owned(), value))
    };
    start.attributes().map(pair).collect::<Result<_, String>>().map(Attributes)
}
