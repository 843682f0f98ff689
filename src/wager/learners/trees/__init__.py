"""Decision trees: C4.5, credal trees and forests of them."""
