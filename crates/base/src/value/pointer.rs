//! JSON Pointers (RFC 6901), built while walking down without allocating until one is needed.

use std::borrow::Cow;
use std::fmt;

/// Most steps of a pointer, parts of a key and parts of a path that are followed. No value is nested so deep, and code
/// that follows steps may call itself at each of them.
pub const MAX_STEPS: usize = 128;

/// One step down into a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Segment<'a> {
    /// A member of an object.
    Key(&'a str),
    /// An element of an array.
    Index(usize),
}

/// A path from the root to a value, as a chain of stack frames. Walking costs nothing; `to_string` allocates.
#[derive(Debug, Clone, Copy)]
pub struct Pointer<'a> {
    parent: Option<&'a Pointer<'a>>,
    segment: Option<Segment<'a>>,
}

impl<'a> Pointer<'a> {
    /// The root: the empty pointer.
    pub const ROOT: Pointer<'static> = Pointer { parent: None, segment: None };

    /// One step further down.
    #[must_use]
    #[inline]
    pub fn child(&'a self, segment: Segment<'a>) -> Pointer<'a> {
        Pointer { parent: Some(self), segment: Some(segment) }
    }

    /// The last step; `None` at the root.
    #[must_use]
    pub fn last(&self) -> Option<Segment<'a>> {
        self.segment
    }

    /// The pointer as text. `to_string` says the same, and takes longer.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(32);
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        if let Some(parent) = self.parent {
            parent.write(text);
        }
        if let Some(segment) = self.segment {
            push_segment(text, segment);
        }
    }

    /// The pointer without its last step.
    #[must_use]
    pub fn parent(&self) -> Option<&'a Pointer<'a>> {
        self.parent
    }
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.segment {
            None => Ok(()),
            Some(Segment::Index(index)) => write!(f, "/{index}"),
            Some(Segment::Key(key)) => {
                f.write_str("/")?;
                for c in key.chars() {
                    match c {
                        '~' => f.write_str("~0")?,
                        '/' => f.write_str("~1")?,
                        c => fmt::Write::write_char(f, c)?,
                    }
                }
                Ok(())
            }
        }
    }
}

/// Appends one step to a pointer that is already text.
pub fn push_segment(pointer: &mut String, segment: Segment<'_>) {
    use fmt::Write;
    if let Segment::Key(key) = segment
        && !key.bytes().any(|byte| matches!(byte, b'~' | b'/'))
    {
        pointer.push('/');
        pointer.push_str(key);
        return;
    }
    // Writing to a String can't fail.
    let _ = write!(pointer, "{}", Pointer { parent: None, segment: Some(segment) });
}

/// One step of a pointer, as it is written in one.
#[must_use]
pub fn escape(name: &str) -> Cow<'_, str> {
    if name.contains(['~', '/']) {
        Cow::Owned(name.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(name)
    }
}

/// The name that one step of a pointer means.
#[must_use]
pub fn unescape(step: &str) -> Cow<'_, str> {
    if step.contains('~') {
        Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(step)
    }
}

/// One step of a pointer as an index; RFC 6901 knows no leading zeros.
#[must_use]
pub fn index_of(step: &str) -> Option<usize> {
    let plain = step == "0" || (!step.starts_with('0') && step.bytes().all(|b| b.is_ascii_digit()));
    plain.then(|| step.parse().ok()).flatten()
}

/// Returns whether a pointer in text form has more steps than any value has levels.
#[must_use]
pub fn has_too_many_steps(pointer: &str) -> bool {
    pointer.bytes().filter(|byte| *byte == b'/').nth(MAX_STEPS).is_some()
}

/// A pointer that is the fragment of a URI, without its percent signs; empty when that is not text.
#[must_use]
pub fn unescape_fragment(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::super::item::Item;
    use super::*;

    #[test]
    fn steps_are_escaped() {
        let root = Pointer::ROOT;
        let a = root.child(Segment::Key("a/b~c"));
        let b = a.child(Segment::Index(3));
        assert_eq!(b.to_string(), "/a~1b~0c/3");
        assert_eq!((b.text(), root.text()), (b.to_string(), String::new()));
        let value = serde_json::json!({"a/b~c": [0, 1, 2, "x"]});
        assert_eq!(value.pointer(&b.to_string()).unwrap(), "x");
        let (item, found) = (Item::from(&value), |at: &Pointer<'_>| Item::from(&value).at(at));
        assert_eq!(found(&b).and_then(Item::as_text), Some("x"));
        assert!(found(&root).is_some_and(|whole| whole.equals(item, false)));
        assert!(found(&b.child(Segment::Key("y"))).is_none());
    }

    #[test]
    fn a_step_is_read_as_it_was_written() {
        for name in ["a", "a/b~c", "~1", "~", "/", "", "~01", "ä/é"] {
            assert_eq!(unescape(&escape(name)), name);
            let mut pointer = String::new();
            push_segment(&mut pointer, Segment::Key(name));
            assert_eq!(pointer, format!("/{}", escape(name)));
        }
        assert_eq!(
            (index_of("0"), index_of("10"), index_of("01"), index_of("-")),
            (Some(0), Some(10), None, None)
        );
        assert_eq!(unescape_fragment("/a%20b%7E1"), "/a b~1");
        assert!(
            !has_too_many_steps(&"/a".repeat(MAX_STEPS)) && has_too_many_steps(&"/a".repeat(MAX_STEPS + 1))
        );
    }
}
