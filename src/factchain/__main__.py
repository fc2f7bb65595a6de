"""python -m factchain"""

from factchain.cli import main

main()
