//! Texts that are kept compressed (RFC 1951), each beginning with a dictionary of what such texts are made of.

use crate::error::Error;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use parking_lot::Mutex;

/// Bytes before the compressed ones: the form, and the length of what was packed.
const HEAD: usize = 5;
/// Most bytes that are unpacked. A request, its plan and its facts have limits of their own far below.
const MOST: usize = 256 << 20;
/// Level of compression: what is saved beyond costs more time than it is worth.
const LEVEL: u32 = 6;
/// Bytes of a window that holds a dictionary and a text of the usual length, as a power of two.
const WINDOW_BITS: u8 = 14;

/// Packer that is not in use: a new one has 300 KB to clear.
static PACKER: Mutex<Option<Compress>> = Mutex::new(None);

#[derive(Debug)]
pub(crate) struct PackedForm {
    /// First byte of a packed text.
    pub(crate) number: u8,
    /// Text that such texts are made of. Never edited: what was packed with it could not be read any more.
    pub(crate) dictionary: &'static [u8],
}

impl PackedForm {
    pub(crate) fn pack_text(&self, text: &str) -> Result<Vec<u8>, Error> {
        let length = u32::try_from(text.len()).ok().filter(|_| text.len() <= MOST);
        let length = length.ok_or_else(|| Error::Refused(format!("{} bytes are too many", text.len())))?;
        let failed =
            |error: &dyn std::fmt::Display| Error::Refused(format!("a text cannot be packed: {error}"));
        let mut packer = take_packer();
        packer.set_dictionary(self.dictionary).map_err(|error| failed(&error))?;
        // What cannot be compressed grows by a few bytes for each block.
        let mut packed = Vec::with_capacity(HEAD + text.len() + text.len() / 8 + 64);
        packed.push(self.number);
        packed.extend_from_slice(&length.to_le_bytes());
        let done = packer.compress_vec(text.as_bytes(), &mut packed, FlushCompress::Finish);
        *PACKER.lock() = Some(packer);
        match done {
            Ok(Status::StreamEnd) => Ok(packed),
            Ok(_) => Err(failed(&"it grew")),
            Err(error) => Err(failed(&error)),
        }
    }

    pub(crate) fn unpack_text(&self, packed: &[u8]) -> Result<String, PackedError> {
        let (head, compressed) = packed.split_first_chunk::<HEAD>().ok_or(PackedError::Cut)?;
        let [form, length @ ..] = *head;
        if form != self.number {
            return Err(PackedError::Form(form));
        }
        let length = usize::try_from(u32::from_le_bytes(length)).ok().filter(|length| *length <= MOST);
        let mut unpacker = Decompress::new_with_window_bits(false, WINDOW_BITS);
        unpacker.set_dictionary(self.dictionary)?;
        // One byte more tells a text that is longer than it says.
        let mut text = Vec::with_capacity(length.ok_or(PackedError::Cut)? + 1);
        let status = unpacker.decompress_vec(compressed, &mut text, FlushDecompress::Finish)?;
        if status != Status::StreamEnd || Some(text.len()) != length {
            return Err(PackedError::Cut);
        }
        String::from_utf8(text).map_err(|_| PackedError::Cut)
    }
}

/// Packed text that is not what was written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PackedError {
    #[error("a packed text is cut or damaged")]
    Cut,
    #[error("a packed text has a form that is not known here: {0}")]
    Form(u8),
    #[error("a packed text is damaged: {0}")]
    Damaged(#[from] flate2::DecompressError),
}

/// Gives back the memory of a packer that is not in use.
pub(crate) fn drop_packer() {
    *PACKER.lock() = None;
}

fn take_packer() -> Compress {
    let kept = PACKER.lock().take();
    match kept {
        Some(mut kept) => {
            kept.reset();
            kept
        }
        None => Compress::new_with_window_bits(Compression::new(LEVEL), false, WINDOW_BITS),
    }
}

#[cfg(test)]
mod tests {
    use super::{PackedError, PackedForm};
    use proptest::prelude::*;

    const FORM: PackedForm = PackedForm { number: 3, dictionary: b"{\"kind\":\"value\"}" };

    proptest! {
        #[test]
        fn a_text_is_unpacked_as_it_was(text in ".{0,300}") {
            prop_assert_eq!(FORM.unpack_text(&FORM.pack_text(&text).unwrap()).unwrap(), text);
        }

        /// A damaged record holds anything.
        #[test]
        fn nothing_that_is_unpacked_panics(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            _ = FORM.unpack_text(&bytes);
            _ = FORM.unpack_text(&[&[FORM.number, 9, 0, 0, 0], &bytes[..]].concat());
        }
    }

    #[test]
    fn what_was_changed_is_not_unpacked() {
        let packed = FORM.pack_text(&"x".repeat(99)).unwrap();
        let changed = |at: usize, to: u8| {
            let mut packed = packed.clone();
            packed[at] = to;
            FORM.unpack_text(&packed)
        };
        assert!(matches!(changed(0, 2), Err(PackedError::Form(2))));
        assert!(changed(1, packed[1] - 1).is_err(), "it is longer than it says");
        assert!(changed(1, packed[1] + 1).is_err(), "it is shorter than it says");
        assert!(changed(4, 0xff).is_err(), "it says that it is longer than any");
        for length in 0..packed.len() {
            assert!(FORM.unpack_text(&packed[..length]).is_err(), "cut after {length} bytes");
        }
    }

    #[test]
    fn what_cannot_be_compressed_is_packed_too() {
        let noise: String = (0_u32..60_000)
            .filter_map(|nth| char::from_u32(0x2_0000 + nth.wrapping_mul(2_654_435_761) % 0xa000))
            .collect();
        assert_eq!(FORM.unpack_text(&FORM.pack_text(&noise).unwrap()).unwrap(), noise);
    }
}
