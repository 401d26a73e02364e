//! The Keychain, the one for signed apps: it asks the person nothing, and opens to programs of the same signature only.

use super::{NoVault, Vault};
use postern_protocol::CONTROL_KEY_SERVICE;
use security_framework::base::Error;
use security_framework::passwords::{
    PasswordOptions, delete_generic_password_options, generic_password, set_generic_password_options,
};

/// `errSecItemNotFound`: it is open, and has nothing of that name.
const NOT_FOUND: i32 = -25300;

/// The Keychain of the person who runs this.
pub(super) struct Keychain;

impl Vault for Keychain {
    fn secret(&self, account: &str) -> Result<Option<Vec<u8>>, NoVault> {
        match generic_password(password_options(account)) {
            Ok(secret) => Ok(Some(secret)),
            Err(error) if error.code() == NOT_FOUND => Ok(None),
            Err(error) => Err(refused(error)),
        }
    }

    fn keep_secret(&self, account: &str, secret: &[u8]) -> Result<(), NoVault> {
        set_generic_password_options(secret, password_options(account)).map_err(refused)
    }

    fn forget(&self, account: &str) -> Result<(), NoVault> {
        match delete_generic_password_options(password_options(account)) {
            Err(error) if error.code() != NOT_FOUND => Err(refused(error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

fn password_options(account: &str) -> PasswordOptions {
    let mut item = PasswordOptions::new_generic_password(CONTROL_KEY_SERVICE, account);
    item.use_protected_keychain();
    item
}

fn refused(error: Error) -> NoVault {
    NoVault(format!("the Keychain says: {error}"))
}
