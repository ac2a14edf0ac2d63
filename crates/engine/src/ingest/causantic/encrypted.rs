//! Archives with a password: AES-256-GCM, the key made by scrypt.

use std::io::{BufRead, BufReader, Cursor, Read};

use aes_gcm::aead::inout::InOutBuf;
use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{Aes256Gcm, Nonce, Tag};
use flate2::read::MultiGzDecoder;

use super::detect::ENCRYPTED_MAGIC;
use super::input::{ImportError, read_all};

const SALT: usize = 16;
const NONCE: usize = 12;
const TAG: usize = 16;
/// Decryption needs the whole archive in memory.
pub const LARGEST_ENCRYPTED_ARCHIVE: u64 = 1 << 30;
/// scrypt with N = 2^14, r = 8, p = 1.
const LOG_N: u8 = 14;
const BLOCK: u32 = 8;
const LANES: u32 = 1;

/// The decrypted archive, also decompressed if it was compressed.
pub fn open(input: &mut dyn Read, password: Option<&str>) -> Result<Box<dyn BufRead>, ImportError> {
    let password = password.ok_or(ImportError::NoPassword)?;
    let bytes = read_all(input, LARGEST_ENCRYPTED_ARCHIVE)?.ok_or(ImportError::TooLarge)?;
    let plain =
        decrypt(&bytes[ENCRYPTED_MAGIC.len().min(bytes.len())..], password).ok_or(ImportError::WrongPassword)?;
    Ok(match plain.starts_with(&[0x1f, 0x8b]) {
        true => Box::new(BufReader::new(MultiGzDecoder::new(Cursor::new(plain)))),
        false => Box::new(Cursor::new(plain)),
    })
}

/// `bytes`: salt, nonce, tag, then the ciphertext.
fn decrypt(bytes: &[u8], password: &str) -> Option<Vec<u8>> {
    let (salt, rest) = bytes.split_at_checked(SALT)?;
    let (nonce, rest) = rest.split_at_checked(NONCE)?;
    let (tag, rest) = rest.split_at_checked(TAG)?;
    let params = scrypt::Params::new(LOG_N, BLOCK, LANES).ok()?;
    let mut key = [0; 32];
    scrypt::scrypt(password.as_bytes(), salt, &params, &mut key).ok()?;
    let cipher = Aes256Gcm::new_from_slice(&key).ok()?;
    let (nonce, tag) = (Nonce::try_from(nonce).ok()?, Tag::try_from(tag).ok()?);
    let mut plain = rest.to_vec();
    cipher.decrypt_inout_detached(&nonce, &[], InOutBuf::from(plain.as_mut_slice()), &tag).ok()?;
    Some(plain)
}
