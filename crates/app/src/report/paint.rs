//! Colours, for terminals that support them.

/// Adds ANSI colours, or nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paint {
    coloured: bool,
}

impl Paint {
    /// With colours or without.
    #[must_use]
    pub fn new(coloured: bool) -> Self {
        Paint { coloured }
    }

    fn wrap(self, code: &str, text: &str) -> String {
        if self.coloured { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    /// For good news.
    #[must_use]
    pub fn good(self, text: &str) -> String {
        self.wrap("32", text)
    }

    /// For a shortfall.
    #[must_use]
    pub fn warn(self, text: &str) -> String {
        self.wrap("33", text)
    }

    /// For an error.
    #[must_use]
    pub fn bad(self, text: &str) -> String {
        self.wrap("31", text)
    }

    /// For minor details.
    #[must_use]
    pub fn faint(self, text: &str) -> String {
        self.wrap("2", text)
    }

    /// For names.
    #[must_use]
    pub fn strong(self, text: &str) -> String {
        self.wrap("1", text)
    }
}
