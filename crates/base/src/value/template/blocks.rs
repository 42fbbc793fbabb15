//! A bound on what one `{{ … }}` or `{% … %}` of a template may hold.
//!
//! The template engine calls itself at each link of a chain such as `not not x`, so a block of unbounded length would
//! overflow the stack. Plain text between blocks may be as long as it likes.

/// Longest block, in bytes.
pub const MAX_BLOCK_BYTES: usize = 4_096;

/// The byte at which the first block starts that is longer than [`MAX_BLOCK_BYTES`]. A block that is never closed reaches to
/// the end.
#[must_use]
pub fn long_block(template: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(rest) = template.get(at..) {
        let open = ["{{", "{%"].iter().filter_map(|mark| rest.find(mark)).min()?;
        let inside = rest.get(open..)?;
        let close = if inside.starts_with("{{") { "}}" } else { "%}" };
        let length = inside.find(close).map_or(inside.len(), |end| end + close.len());
        if length > MAX_BLOCK_BYTES {
            return Some(at + open);
        }
        at += open + length;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_are_bounded() {
        let long = "not ".repeat(2_000);
        assert_eq!(long_block(&format!("{long}{{{{ x }}}} {{% if y %}}{long}")), None);
        assert_eq!(long_block(&format!("ab{{{{ {long} x }}}}")), Some(2));
        assert_eq!(long_block(&format!("{{{{ a }}}}{{% if {long}")), Some(7));
        assert_eq!(long_block("{{"), None);
    }
}
