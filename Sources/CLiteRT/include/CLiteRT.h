#ifndef CLiteRT_H
#define CLiteRT_H
#endif
