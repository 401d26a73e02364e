//! Enums whose values have stable names.

/// Declares an enum whose values have stable names: the same in JSON, in the record and on the command line.
#[macro_export]
macro_rules! named_values {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $($(#[$about:meta])* $value:ident = $text:tt,)+
        }
    ) => {
        $(#[$meta])*
        $vis enum $name {
            $($(#[$about])* #[serde(rename = $text)] $value,)+
        }

        impl $name {
            /// Every value, as they are declared.
            $vis const ALL: [Self; [$($text),+].len()] = [$(Self::$value),+];

            /// Returns the stable name.
            $vis fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $text,)+
                }
            }

            /// Returns the value of that name.
            $vis fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use serde::Serialize;

    crate::named_values! {
        #[derive(Debug, Clone, Copy, PartialEq, Serialize)]
        enum Tide {
            Low = "low-water",
            High = "high",
        }
    }

    #[test]
    fn a_name_is_what_json_says() {
        for tide in Tide::ALL {
            assert_eq!(serde_json::to_value(tide).unwrap(), tide.name());
            assert_eq!(Tide::from_name(tide.name()), Some(tide));
        }
        assert_eq!(Tide::from_name("ebb"), None);
    }
}
